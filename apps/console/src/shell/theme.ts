import { useEffect } from 'react';
import { createStore, useStore } from '../ui/store.ts';

export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

const storageKey = 'chandlery-theme';

const stored = (): Theme => themes.find(theme => theme === localStorage.getItem(storageKey)) ?? 'system';

/** Light, dark, or as the system is. A preference, so the browser keeps it. */
export const themeStore = createStore<Theme>(stored());

export function setTheme(theme: Theme): void {
  localStorage.setItem(storageKey, theme);
  themeStore.set(theme);
}

export function useTheme(): Theme {
  const theme = useStore(themeStore);
  useEffect(() => {
    if (theme === 'system') delete document.documentElement.dataset['theme'];
    else document.documentElement.dataset['theme'] = theme;
  }, [theme]);
  return theme;
}
