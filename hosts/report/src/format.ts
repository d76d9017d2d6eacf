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

export function seconds(exact: number): string {
  if (exact < 59.95) {
    return exact < 10 ? `${significant(exact, 3)} s` : `${exact.toFixed(1)} s`;
  }
  const s = Math.max(exact, 60);
  if (s < 3600) {
    return `${Math.floor(s / 60)} min ${two(s % 60)} s`;
  }
  return `${Math.floor(s / 3600)} h ${two((s / 60) % 60)} min`;
}

/** A point in time of a run; finer than a length, so that two of them can be told apart. */
export function clock(us: number): string {
  const digits = us < 600e6 ? 2 : 0;
  // Rounded as a whole: a minute has no sixtieth second.
  const s = Number((us / 1e6).toFixed(digits));
  const h = Math.floor(s / 3600);
  const rest = (s % 60).toFixed(digits).padStart(digits > 0 ? digits + 3 : 2, "0");
  return `${h > 0 ? `${h}:` : ""}${two((s / 60) % 60)}:${rest}`;
}

/** Less than this is what rounding left over. */
const NOTHING = 1e-4;

export function plain(number: number): string {
  if (Number.isInteger(number) || Math.abs(number) < NOTHING) {
    return Math.trunc(number).toLocaleString("en-US");
  }
  return number >= 100 ? number.toFixed(1) : significant(number, 3);
}

export function figure(number: number, unit: string): string {
  if (number === Infinity) {
    return "not reached";
  }
  return unit === "B" ? bytes(number) : unit === "s" ? seconds(number) : plain(number);
}

/** Ticks of a time axis: as many digits as their distance asks for. */
export function tick(exact: number, step: number): string {
  const digits = step >= 1 ? 0 : Math.min(6, Math.ceil(-Math.log10(step)));
  const s = Number(exact.toFixed(digits));
  const h = Math.floor(s / 3600);
  const minutes = Math.floor((s / 60) % 60);
  if (step >= 3600) {
    return `${h} h`;
  }
  if (step >= 60 && s >= 3600) {
    return `${h}:${two(minutes)} h`;
  }
  const rest = (s % 60).toFixed(digits).padStart(digits > 0 ? digits + 3 : 2, "0");
  return `${h > 0 ? `${h}:${two(minutes)}` : minutes}:${rest}`;
}
