// Makes one entry in the browser's history for what a viewer does once.
//
// One click has several effects on the address: Streamlit sets the new parameters at the old path,
// then the new path, and the new page adds its choices. Each would be an entry of its own. Here the
// first one makes the entry, and the others replace it until the viewer does something again. What
// a page writes into its address by itself, or after Back and Forward, replaces an entry as well.
(() => {
    let isNew = false;
    let before = { timeStamp: -Infinity };
    // The second press of a double click belongs to the first. A browser does not count presses
    // for a table, which stops what would count them.
    const isSecond = (press) => {
        const isNear = Math.hypot(press.x - before.x, press.y - before.y) < 5;
        const isSoon = press.timeStamp - before.timeStamp < 500;
        before = press;
        return isNear && isSoon;
    };
    const isAction = {
        keydown: () => true,
        pointerdown: (press) => !isSecond(press),
        click: (click) => click.detail === 0, // as screen readers click, without a press
    };
    for (const [type, test] of Object.entries(isAction)) {
        const remember = (event) => (isNew = (event.isTrusted && test(event)) || isNew);
        addEventListener(type, remember, true);
    }
    addEventListener("popstate", () => (isNew = false));
    const push = history.pushState.bind(history);
    history.pushState = (...entry) => {
        if (isNew) push(...entry);
        else history.replaceState(...entry);
        isNew = false;
    };
})();
