// Presses the button of leaderboard.py as soon as the table above it is drawn.
(() => {
    const findButton = () => document.querySelector(".st-key-charts-later button");
    const isDrawn = () => document.querySelector("[data-testid=stMain] .board-table")?.clientWidth;
    // What has its place is painted a frame or two later.
    let frames = 0;
    const look = () => {
        frames = isDrawn() ? frames + 1 : 1;
        if (frames < 5) requestAnimationFrame(look);
        else findButton()?.click();
    };
    const observer = new MutationObserver(() => {
        if (!findButton()) frames = 0;
        else if (!frames) look();
    });
    observer.observe(document.documentElement, { childList: true, subtree: true });
})();
