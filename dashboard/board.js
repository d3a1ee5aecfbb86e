// Sorts a board by the column whose head is clicked: figures with the highest on top at first, names
// by the alphabet; a second click turns the order. Bands hold for the order of the ranks alone.
addEventListener("click", (event) => {
    const head = event.target.closest?.(".board-table th:has(button)");
    if (!head) return;
    const table = head.closest("table");
    const [body] = table.tBodies;
    const read = (row) => row.cells[head.cellIndex].innerText.replaceAll(",", "").trim();
    const rows = [...body.rows].map((row) => [row, read(row), parseFloat(read(row))]);
    const isWords = head.matches(".name");
    const isUp = head.ariaSort ? head.ariaSort !== "ascending" : isWords;
    const compare = (a, b) => (isWords ? a[1].localeCompare(b[1]) : a[2] - b[2]);
    const isUnknown = (row) => !isWords && Number.isNaN(row[2]);
    rows.sort((a, b) => isUnknown(a) - isUnknown(b) || (isUp ? compare(a, b) : compare(b, a)));
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    head.ariaSort = isUp ? "ascending" : "descending";
    table.classList.toggle("sorted", !(isUp && head.matches(".rank")));
    body.append(...rows.map(([row]) => row));
});
// A link from a board to another page leaves the application where it is.
addEventListener("click", (event) => {
    const link = event.target.closest?.("[data-testid=stHtml] a[target=_self]");
    if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    history.pushState({}, "", link.href);
    dispatchEvent(new PopStateEvent("popstate"));
});
