// SPDX-License-Identifier: Apache-2.0
/** Elements out of text. Names come from anywhere, so nothing here ever parses markup. */

export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (!found) {
    throw new Error(`the page lacks #${id}`);
  }
  return found as T;
}

export function el(tag: string, text?: string, className?: string): HTMLElement {
  const made = document.createElement(tag);
  if (text !== undefined) {
    made.textContent = text;
  }
  if (className) {
    made.className = className;
  }
  return made;
}

export interface Cell {
  text: string;
  /** The exact value, for whoever reads the page by program. */
  value?: string | number | boolean;
  head?: boolean;
  number?: boolean;
  muted?: boolean;
}

export interface Column {
  title: string;
  number?: boolean;
}

export function fill(table: HTMLElement, caption: string, columns: Column[], rows: Cell[][], onRow?: (row: number) => void): void {
  const head = el("tr");
  for (const column of columns) {
    const th = el("th", column.title, column.number ? "n" : "");
    th.setAttribute("scope", "col");
    head.append(th);
  }
  const thead = el("thead");
  thead.append(head);
  const body = el("tbody");
  rows.forEach((cells, i) => body.append(line(cells, onRow ? () => onRow(i) : undefined)));
  table.replaceChildren(...(caption ? [el("caption", caption)] : []), thead, body);
}

function line(cells: Cell[], go: (() => void) | undefined): HTMLElement {
  const row = el("tr", undefined, go ? "link" : "");
  for (const cell of cells) {
    const td = el(cell.head ? "th" : "td", cell.text, cell.number ? "n" : cell.muted ? "m" : "");
    if (cell.head) {
      td.setAttribute("scope", "row");
    }
    if (cell.value !== undefined) {
      td.dataset["value"] = String(cell.value);
    }
    row.append(td);
  }
  if (go) {
    row.addEventListener("click", go);
    const button = el("button", "show");
    button.setAttribute("type", "button");
    button.setAttribute("aria-label", `Show in the timeline: ${cells.map((cell) => cell.text).slice(0, 3).join(", ")}`);
    const td = el("td");
    td.append(button);
    row.append(td);
  }
  return row;
}
