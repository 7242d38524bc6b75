import { useEffect, useRef } from 'react';
import { pages } from './pages.ts';

/** The shortcuts, as the sheet shows them. */
export const shortcuts: readonly (readonly [keys: string, what: string])[] = [
  ['Ctrl K', 'Search objects, kinds, pages, clusters and actions'],
  ['/', 'Search in the list'],
  ['j k', 'Next and previous row'],
  ['Enter', 'Open the row'],
  ['?', 'This sheet'],
  ...pages.map(({ key, title }) => [`g ${key}`, `Go to ${title}`] as const),
];

interface ShortcutHandlers {
  readonly onPalette: () => void;
  readonly onSheet: () => void;
  readonly onPage: (name: string) => void;
}

/** How long a "g" waits for the key of a page. */
const chordMs = 1500;

/** Handles the shortcuts of the shell, except while the user types. */
export function useShortcuts(handlers: ShortcutHandlers): void {
  const latest = useRef(handlers);
  latest.current = handlers;
  useEffect(() => {
    let chordUntil = 0;
    const onKeyDown = (event: KeyboardEvent): void => {
      const { onPalette, onSheet, onPage } = latest.current;
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        onPalette();
        return;
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
      const page = performance.now() < chordUntil ? pages.find(({ key }) => key === event.key) : undefined;
      chordUntil = event.key === 'g' ? performance.now() + chordMs : 0;
      if (page !== undefined) onPage(page.name);
      else if (event.key === '?') onSheet();
      else if (event.key === '/') focusFilter(event);
      else if (event.key === 'j') moveRow(1);
      else if (event.key === 'k') moveRow(-1);
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, []);
}

function isTyping(event: KeyboardEvent): boolean {
  const [target] = event.composedPath();
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName))
  );
}

function focusFilter(event: KeyboardEvent): void {
  const filter = document.querySelector<HTMLInputElement>('input[type=search]');
  if (filter === null) return;
  event.preventDefault();
  filter.focus();
}

function moveRow(step: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLAnchorElement>('a.row-link')];
  const at = rows.indexOf(document.activeElement as HTMLAnchorElement);
  const next = at < 0 ? rows.at(step > 0 ? 0 : -1) : rows[Math.min(Math.max(at + step, 0), rows.length - 1)];
  next?.focus();
}
