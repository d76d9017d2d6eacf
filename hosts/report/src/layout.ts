// SPDX-License-Identifier: Apache-2.0
/** Where the rows of the timeline are: a member's lane has a row for each task of which it has a copy. */

import type { CopyRow, Lane, Run } from "./model";

const BETWEEN = 0.5;

export interface Place {
  lane: Lane;
  row: CopyRow | undefined;
  /** Of the row's upper edge, in rows from the top. */
  y: number;
}

/** A lane's part of the height. */
export interface Band {
  lane: Lane;
  y: number;
  rows: number;
}

export class Layout {
  readonly places: Place[] = [];
  readonly bands: Band[] = [];
  readonly total: number;
  readonly hidden: number;

  /** @param onlyChanges leaves out copies that stay what they are, and members that have no others */
  constructor(run: Run, onlyChanges: boolean) {
    let y = BETWEEN / 2;
    let hidden = 0;
    for (const lane of run.lanes) {
      const left = onlyChanges ? lane.rows.filter((row) => changes(row, run.end)) : lane.rows;
      hidden += lane.rows.length - left.length;
      if (left.length === 0 && onlyChanges && !comesOrGoes(lane)) {
        continue;
      }
      const rows: (CopyRow | undefined)[] = left.length > 0 ? left : [undefined];
      this.bands.push({ lane, y, rows: rows.length });
      rows.forEach((row, i) => this.places.push({ lane, row, y: y + i }));
      y += rows.length + BETWEEN;
    }
    this.total = Math.max(y - BETWEEN / 2, 1);
    this.hidden = hidden;
  }

  /** The place at a height in rows; -1 between lanes. */
  at(y: number): number {
    const index = this.firstFrom(y) - 1;
    const place = this.places[index];
    return place && y < place.y + 1 ? index : -1;
  }

  /** The first place whose upper edge is below a height. */
  firstFrom(y: number): number {
    let low = 0;
    let high = this.places.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.places[middle]!.y <= y) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  find(task: number, member: number): number {
    return this.places.findIndex((place) => place.lane.member === member && place.row?.task === task);
  }
}

function changes(row: CopyRow, end: number): boolean {
  return row.gaps.length > 0 || row.bars.length !== 1 || row.bars[0]!.from > 0 || row.bars[0]!.to < end;
}

function comesOrGoes(lane: Lane): boolean {
  return lane.down.length > 0 || lane.marked.length > 0;
}
