import { formatAge } from '@chandlery/api';
import { useEffect, useState } from 'react';
import { createStore, useStore } from './store.ts';

/** How times are shown: how long ago, or exactly, in the zone of the browser or in UTC. */
export const timeFormats = ['relative', 'local', 'utc'] as const;
export type TimeFormat = (typeof timeFormats)[number];

export const timeFormatStore = createStore<TimeFormat>('relative');

const tickMs = 5000;

/** A moment; the exact time is its title and, for programs, its attribute. */
export function Time({ at }: { readonly at: string | undefined }) {
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
    <time dateTime={date.toISOString()} title={`${date.toLocaleString()} · ${date.toISOString()}`}>
      {textOf(date, format)}
    </time>
  );
}

/** Clocks differ: what is so little ahead is now. */
const maxSkewMs = 5000;

function relativeText(date: Date, now: Date): string {
  const aheadMs = date.getTime() - now.getTime();
  if (aheadMs > maxSkewMs) return `in ${formatAge(now.toISOString(), date)}`;
  return formatAge((aheadMs > 0 ? now : date).toISOString(), now);
}

function textOf(date: Date, format: TimeFormat): string {
  switch (format) {
    case 'relative':
      return relativeText(date, new Date());
    case 'local':
      return date.toLocaleString();
    case 'utc':
      return date.toISOString().replace(/\.\d+Z$/, 'Z');
  }
}
