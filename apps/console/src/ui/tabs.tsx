import { type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react';

export interface Tab<Name extends string> {
  readonly name: Name;
  readonly label: string;
}

interface TabsProps<Name extends string> {
  readonly label: string;
  readonly tabs: readonly Tab<Name>[];
  readonly selected: Name;
  readonly onSelect: (name: Name) => void;
  readonly children: ReactNode;
}

/** Tabs with arrow keys, as WAI-ARIA describes them. */
export function Tabs<Name extends string>({ label, tabs, selected, onSelect, children }: TabsProps<Name>) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const show = (): void => showSelected(list.current);
    show();
    addEventListener('resize', show);
    return () => removeEventListener('resize', show);
  }, [selected]);
  const onKeyDown = ({ key, currentTarget }: KeyboardEvent<HTMLDivElement>): void => {
    const step = key === 'ArrowRight' ? 1 : key === 'ArrowLeft' ? -1 : 0;
    const at = tabs.findIndex(({ name }) => name === selected);
    const next = tabs[(at + step + tabs.length) % tabs.length];
    if (step === 0 || next === undefined) return;
    onSelect(next.name);
    currentTarget.querySelector<HTMLElement>(`[data-tab="${next.name}"]`)?.focus();
  };
  return (
    <>
      <div ref={list} className="tabs" role="tablist" aria-label={label} onKeyDown={onKeyDown}>
        {tabs.map(({ name, label: text }) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`tab-${name}`}
            data-tab={name}
            aria-selected={name === selected}
            aria-controls={name === selected ? 'tab-panel' : undefined}
            tabIndex={name === selected ? 0 : -1}
            onClick={() => onSelect(name)}
          >
            {text}
          </button>
        ))}
      </div>
      <div role="tabpanel" id="tab-panel" aria-labelledby={`tab-${selected}`} className="tab-panel">
        {children}
      </div>
    </>
  );
}

/** Where the tabs are a line that is wider than the page, the selected one is in its middle. */
function showSelected(list: HTMLElement | null): void {
  const tab = list?.querySelector<HTMLElement>('[aria-selected=true]');
  if (list && tab) list.scrollLeft = tab.offsetLeft - list.offsetLeft - (list.clientWidth - tab.clientWidth) / 2;
}
