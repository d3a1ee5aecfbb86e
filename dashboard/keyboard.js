// The Tab key leaves a table, whose cells the arrow keys go through: one that opens rows would open
// a row at the second cell, and what stands below a table would be out of reach.
window.addEventListener(
    "keydown",
    (event) => {
        // Within the canvas are the cells that a screen reader reads; one of them gets the focus.
        const isTable = event.target instanceof Element && event.target.closest("[data-testid=data-grid-canvas]");
        if (event.key === "Tab" && isTable) event.stopImmediatePropagation();
    },
    { capture: true },
);
