// SPDX-License-Identifier: Apache-2.0
/** Numbers with their units as people read them, the same as the program prints them. */

const BYTES = ["B", "KiB", "MiB", "GiB", "TiB"];

function significant(number: number, digits: number): string {
  return String(Number(number.toPrecision(digits)));
}

function scaled(number: number, step: number, units: string[]): string {
  let at = 0;
  while (number >= step && at + 1 < units.length) {
    number /= step;
    at++;
  }
  return `${number >= 100 || at === 0 ? number.toFixed(0) : significant(number, 3)} ${units[at]}`;
}

export function bytes(number: number): string {
  return scaled(number, 1024, BYTES);
}

const two = (number: number): string => String(Math.floor(number)).padStart(2, "0");

export function seconds(s: number): string {
  if (s < 60) {
    return s < 10 ? `${significant(s, 3)} s` : `${s.toFixed(1)} s`;
  }
  if (s < 3600) {
    return `${Math.floor(s / 60)} min ${two(s % 60)} s`;
  }
  return `${Math.floor(s / 3600)} h ${two((s / 60) % 60)} min`;
}

/** A point in time of a run; finer than a length, so that two of them can be told apart. */
export function clock(us: number): string {
  const s = us / 1e6;
  const h = Math.floor(s / 3600);
  const rest = (s % 60).toFixed(s < 600 ? 2 : 0).padStart(s < 600 ? 5 : 2, "0");
  return `${h > 0 ? `${h}:` : ""}${two((s / 60) % 60)}:${rest}`;
}

export function plain(number: number): string {
  return Number.isInteger(number) ? number.toLocaleString("en-US") : significant(number, 3);
}

export function figure(number: number, unit: string): string {
  return unit === "B" ? bytes(number) : unit === "s" ? seconds(number) : plain(number);
}

/** Ticks of a time axis: as many digits as their distance asks for. */
export function tick(s: number, step: number): string {
  const h = Math.floor(s / 3600);
  const minutes = two((s / 60) % 60);
  if (step >= 3600) {
    return `${h} h`;
  }
  if (step >= 60 && s >= 3600) {
    return `${h}:${minutes} h`;
  }
  if (step >= 1) {
    return `${h > 0 ? `${h}:${minutes}` : Math.floor(s / 60)}:${two(s % 60)}`;
  }
  const digits = Math.min(6, Math.ceil(-Math.log10(step)));
  return `${h > 0 ? `${h}:` : ""}${Math.floor((s / 60) % 60)}:${(s % 60).toFixed(digits).padStart(digits + 3, "0")}`;
}
