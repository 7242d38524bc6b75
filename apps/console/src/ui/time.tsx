import { formatAge } from '@chandlery/api';
import { useEffect, useState } from 'react';
import { createStore, useStore } from './store.ts';

/** How times are shown: how long ago, or exactly, in the zone of the browser or in UTC. */
export const timeFormats = ['relative', 'local', 'utc'] as const;
export type TimeFormat = (typeof timeFormats)[number];

const storageKey = 'chandlery-times';

/** A preference, so the browser keeps it. */
export const timeFormatStore = createStore<TimeFormat>(
  timeFormats.find(format => format === localStorage.getItem(storageKey)) ?? 'relative',
);

export function setTimeFormat(format: TimeFormat): void {
  localStorage.setItem(storageKey, format);
  timeFormatStore.set(format);
}

const tickMs = 5000;

interface TimeProps {
  readonly at: string | undefined;
  /** Whether it is in a column of ages, which needs no "ago". Default false. */
  readonly isAge?: boolean;
}

/** A moment; the exact time is its title and, for programs, its attribute. */
export function Time({ at, isAge = false }: TimeProps) {
  const format = useStore(timeFormatStore);
  const [, tick] = useState(0);
  useEffect(() => {
    if (format !== 'relative') return;
    const timer = setInterval(() => tick(count => count + 1), tickMs);
    return () => clearInterval(timer);
  }, [format]);
  const moment = at === undefined ? Number.NaN : Date.parse(at);
  if (Number.isNaN(moment)) return <span className="quiet">–</span>;
  const date = new Date(moment);
  return (
    <time dateTime={date.toISOString()} title={`${exactTime(date, 'local')} · ${date.toISOString()}`}>
      {format === 'relative' ? distanceOf(date, { now: new Date(), isAge }) : exactTime(date, format)}
    </time>
  );
}

/** Clocks of browser and server may differ by this much without "in 1s" for what has just happened. */
const maxSkewMs = 2000;

function distanceOf(date: Date, { now, isAge }: { readonly now: Date; readonly isAge: boolean }): string {
  if (date.getTime() > now.getTime() + maxSkewMs) return `in ${formatAge(now.toISOString(), date)}`;
  const age = formatAge(date.toISOString(), now);
  return isAge ? age : `${age} ago`;
}

/** A moment to the second, in the zone that the user prefers. */
export function ExactTime({ at }: { readonly at: string }) {
  const format = useStore(timeFormatStore);
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return <span className="quiet">–</span>;
  return (
    <time dateTime={date.toISOString()} title={date.toISOString()}>
      {exactTime(date, format === 'utc' ? 'utc' : 'local')}
    </time>
  );
}

const exactTime = (date: Date, format: 'local' | 'utc'): string =>
  format === 'local'
    ? date.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
    : date.toISOString().replace(/\.\d+Z$/, 'Z');

const moment = /^\d{4}-\d\d-\d\dT\d\d:\d\d:[\d.]+Z$/;

/** Whether a text is a moment, as objects have it. */
export const isMoment = (text: string): boolean => moment.test(text);
