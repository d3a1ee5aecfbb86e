// Takes the first view of the board away once the page behind it is drawn: its table, or what
// stands there instead. Nothing is hidden for longer than ten seconds, nor is a message.
(() => {
    const view = document.getElementById("first-board");
    const [, theme] = Object.entries(localStorage).find(([key]) => key.startsWith("stActiveTheme-/-")) ?? [];
    if (/dark|light/i.test(theme)) view.style.colorScheme = /dark/i.test(theme) ? "dark" : "light";
    const find = (name) => [...document.querySelectorAll(`[data-testid=${name}]`)];
    const isDrawn = () => {
        if (document.querySelector("[role=dialog]")) return true;
        if (document.querySelector("[data-testid=stMain] .board-table")) return true;
        if (find("stSkeleton").length) return false;
        const [app] = find("stApp");
        return app?.dataset.testScriptState === "notRunning" && find("stElementContainer").length > 1;
    };
    // What has its place is painted a frame or two later.
    let frames = 0;
    const look = () => {
        frames = isDrawn() ? frames + 1 : 0;
        if (frames < 4 && performance.now() < 10_000) requestAnimationFrame(look);
        else view.remove();
    };
    look();
})();
