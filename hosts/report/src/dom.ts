// SPDX-License-Identifier: Apache-2.0
/** Elements out of text. Names come from anywhere, so nothing here ever parses markup. */

const DIRECTIONS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** Text of a file, in which a sign that turns the direction of what stands behind it is shown instead of obeyed. */
export function tame(text: string): string {
  return text.replace(DIRECTIONS, (sign) => `[U+${sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}]`);
}

/** A name for a sentence: one that is written from right to left does not take the numbers behind it along. */
export function isolate(name: string): string {
  return RIGHT_TO_LEFT.test(name) ? `\u2068${name}\u2069` : name;
}

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
  /** Of a median. */
  least?: number;
  most?: number;
  head?: boolean;
  number?: boolean;
  muted?: boolean;
  /** Of a task or a member: of any length. */
  name?: boolean;
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
    const td = el(cell.head ? "th" : "td", cell.text, cell.number ? "n" : cell.muted ? "m" : cell.name ? "name" : "");
    if (cell.head) {
      td.setAttribute("scope", "row");
    }
    for (const name of ["value", "least", "most"] as const) {
      if (cell[name] !== undefined) {
        td.dataset[name] = String(cell[name]);
      }
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
