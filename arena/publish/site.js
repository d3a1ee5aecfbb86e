// Finds and sorts rows of the tables in a page. Without it all rows stand there in their order.
"use strict";

// Tables of fewer rows need no search.
const LONG = 8;

function valueOf(row, column) {
    const text = row.cells[column].textContent.trim();
    const number = parseFloat(text.replaceAll(",", "").replace("−", "-"));
    return { text, number: Number.isNaN(number) ? null : number };
}

function compare(first, second) {
    if (first.number !== null && second.number !== null) return first.number - second.number;
    if (first.number !== null) return -1;
    if (second.number !== null) return 1;
    return first.text.localeCompare(second.text);
}

function sortBy(table, column) {
    const heads = table.tHead.rows[0].cells;
    const body = table.tBodies[0];
    const descending = heads[column].getAttribute("aria-sort") === "ascending";
    const sign = descending ? -1 : 1;
    const rows = [...body.rows].map((row) => [valueOf(row, column), row]);
    rows.sort(([first], [second]) => sign * compare(first, second));
    body.append(...rows.map(([, row]) => row));
    for (const head of heads) head.removeAttribute("aria-sort");
    heads[column].setAttribute("aria-sort", descending ? "descending" : "ascending");
}

function makeSortable(table) {
    [...table.tHead.rows[0].cells].forEach((head, column) => {
        if (!head.textContent.trim()) return;
        const button = document.createElement("button");
        button.type = "button";
        button.addEventListener("click", () => sortBy(table, column));
        // A board's head has the scale of its picture beside the words.
        const words = head.querySelector(":scope > span:not(.axis)");
        if (words) {
            button.textContent = words.textContent;
            words.replaceWith(button);
        } else {
            button.append(...head.childNodes);
            head.append(button);
        }
    });
}

function labelled(control, words) {
    control.setAttribute("aria-label", words);
    return control;
}

function valuesOf(table, column) {
    return new Set([...table.tBodies[0].rows].map((row) => valueOf(row, column).text));
}

function makeSelect(table, column) {
    const head = table.tHead.rows[0].cells[column].textContent;
    const values = valuesOf(table, column);
    const select = labelled(document.createElement("select"), head);
    select.append(new Option(`${head}: all`, ""));
    for (const value of [...values].filter(Boolean).sort()) select.append(new Option(value));
    return select;
}

function makeSortSelect(table) {
    const select = labelled(document.createElement("select"), "Sort by");
    select.append(new Option("in this order", ""));
    [...table.tHead.rows[0].cells].forEach((head, column) => {
        select.append(new Option(`by ${head.textContent}`, String(column)));
    });
    select.addEventListener("change", () => {
        if (select.value) sortBy(table, Number(select.value));
    });
    return select;
}

function makeSearch(table) {
    const rows = [...table.tBodies[0].rows];
    if (rows.length < LONG) return;
    const texts = new Map(rows.map((row) => [row, row.textContent.toLowerCase()]));
    const heads = [...table.tHead.rows[0].cells].map((head) => head.textContent);
    const search = labelled(document.createElement("input"), "Search this table");
    search.type = "search";
    search.placeholder = "Search";
    const columns = table.dataset.choices.split("|").map((name) => heads.indexOf(name));
    const selects = columns.filter((column) => column >= 0 && valuesOf(table, column).size > 1);
    const chosen = new Map(selects.map((column) => [column, makeSelect(table, column)]));
    const count = document.createElement("span");
    count.className = "quiet";
    count.setAttribute("role", "status");

    function show() {
        const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
        let shown = 0;
        for (const row of rows) {
            const found =
                words.every((word) => texts.get(row).includes(word)) &&
                [...chosen].every(
                    ([column, select]) => !select.value || valueOf(row, column).text === select.value,
                );
            row.hidden = !found;
            shown += found;
        }
        count.textContent = `${shown.toLocaleString("en")} of ${rows.length.toLocaleString("en")}`;
    }

    const controls = document.createElement("div");
    controls.className = "controls";
    controls.append(search, ...chosen.values(), makeSortSelect(table), count);
    table.parentElement.before(controls);
    for (const control of [search, ...chosen.values()]) control.addEventListener("input", show);
    const asked = new URLSearchParams(location.hash.slice(1)).get("search");
    if (asked) search.value = asked;
    show();
}

for (const table of document.querySelectorAll("table.find, .board-table > table")) {
    if (table.matches(".find")) makeSearch(table);
    makeSortable(table);
}
