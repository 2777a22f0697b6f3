// SPDX-License-Identifier: BSD-3-Clause
"use strict";

// Of a long table the first rows are shown, until somebody asks for the rest or for another order.
const rest = document.getElementById("rest");
const showRest = () => {
  for (const body of document.querySelectorAll("#sites tbody.rest")) body.hidden = false;
  if (rest) rest.hidden = true;
};
if (rest) {
  for (const body of document.querySelectorAll("#sites tbody.rest")) body.hidden = true;
  rest.hidden = false;
  rest.querySelector("button").addEventListener("click", showRest);
}

// Of a table with the class "sorted", a click on a column's head sorts the bodies by their first rows.
for (const table of document.querySelectorAll("table.sorted")) {
  const heads = [...table.tHead.rows[0].cells];
  const key = (body, column) => body.rows[0].cells[column].dataset.key ?? "";
  heads.forEach((head, column) => head.querySelector(".sort")?.addEventListener("click", () => {
    const isNumber = head.classList.contains("number") || head.dataset.kind === "number";
    const falls = head.hasAttribute("aria-sort") ? head.getAttribute("aria-sort") === "ascending" : isNumber;
    const compare = isNumber
      ? (a, b) => Number(key(a, column)) - Number(key(b, column))
      : (a, b) => key(a, column).localeCompare(key(b, column), "en", {numeric: true});
    showRest();
    const bodies = [...table.tBodies].sort((a, b) => falls ? compare(b, a) : compare(a, b));
    heads.forEach(other => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", falls ? "descending" : "ascending");
    table.append(...bodies);
  }));
}

// Rows that are unfolded by a button; without a script they are all open.
for (const button of document.querySelectorAll(".more")) {
  const row = document.getElementById(button.getAttribute("aria-controls"));
  const show = open => { row.hidden = !open; button.setAttribute("aria-expanded", String(open)); };
  button.addEventListener("click", () => show(row.hidden));
  show(false);
}

// A browser may keep the clipboard from pages that are files: the command is selected then.
for (const button of document.querySelectorAll(".copy")) {
  const code = button.parentElement.querySelector("code");
  button.hidden = false;
  button.addEventListener("click", async () => {
    const selection = window.getSelection();
    selection.selectAllChildren(code);
    try {
      await navigator.clipboard.writeText(code.textContent);
      button.textContent = "Copied";
    } catch {
      button.textContent = document.execCommand("copy") ? "Copied" : "Press Ctrl+C";
    }
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });
}

// A click on a rank that others waited for leaves the call sites where it came last.
const filter = document.getElementById("filter");
const choose = rank => {
  showRest();
  const bodies = document.querySelectorAll("#sites tbody");
  for (const body of bodies) body.hidden = rank !== null && !body.dataset.last.split(" ").includes(rank);
  filter.hidden = rank === null;
  filter.querySelector("span").textContent = rank === null ? "" : `Call sites where rank ${rank} came last.`;
};
for (const button of document.querySelectorAll("[data-rank]")) {
  button.addEventListener("click", () => {
    choose(button.dataset.rank);
    document.getElementById("calls").scrollIntoView();
    filter.querySelector("button").focus({preventScroll: true});
  });
}
filter?.querySelector("button").addEventListener("click", () => choose(null));

// The cell of a matrix that the pointer is on, in words.
const sizeText = bytes => {
  for (const [unit, scale] of [["GiB", 2 ** 30], ["MiB", 2 ** 20], ["KiB", 2 ** 10]])
    if (bytes >= scale) return `${Number((bytes / scale).toPrecision(3))} ${unit}`;
  return `${bytes} B`;
};
for (const picture of document.querySelectorAll("svg[data-cells]")) {
  const cells = new Map(JSON.parse(picture.dataset.cells).map(([row, column, ...rest]) => [`${row} ${column}`, rest]));
  const names = JSON.parse(picture.dataset.names);
  const readout = picture.closest("figure").querySelector(".readout");
  picture.addEventListener("pointermove", event => {
    const box = picture.getBoundingClientRect();
    const at = (part, length) => Math.min(names.length - 1, Math.max(0, Math.floor(part / length * names.length)));
    const row = at(event.clientY - box.top, box.height), column = at(event.clientX - box.left, box.width);
    const [bytes, messages] = cells.get(`${row} ${column}`) ?? [0, 0];
    const count = messages ? ` in ${messages.toLocaleString("en")} ${messages === 1 ? "message" : "messages"}` : "";
    readout.textContent = `${names[row]} to ${names[column]}: ${sizeText(bytes)}${count}`;
  });
  picture.addEventListener("pointerleave", () => { readout.textContent = ""; });
}
