import { type KeyboardEvent, useEffect, useState } from 'react';
import { type FoundObject, searchObjects } from '../api/search.ts';
import { navigate } from '../routing/location.ts';
import { kindHref, objectHref, pageHref } from '../routing/paths.ts';
import { signOut } from '../session/session.ts';
import { Dialog } from '../ui/dialog.tsx';
import { plainText } from '../ui/plain-text.ts';
import { StateMark } from '../ui/state-mark.tsx';
import { type OpenCluster, useCluster } from './cluster-context.tsx';
import { pages } from './navigation.ts';
import { setTheme } from './theme.ts';

interface Entry {
  readonly id: string;
  readonly type: 'Page' | 'Action' | 'Kind' | 'Object';
  readonly title: string;
  readonly detail: string;
  readonly found?: FoundObject;
  readonly run: () => void;
}

const typingPauseMs = 200;
const maxObjects = 20;
const maxKinds = 8;

/** Finds pages, actions, kinds and objects by a few letters. */
export function Palette({ onClose }: { readonly onClose: () => void }) {
  const open = useCluster();
  const [text, setText] = useState('');
  const [selected, setSelected] = useState(0);
  const { objects, isSearching } = useObjects(open.cluster, text.trim());
  const entries = [...localEntries(open, text.trim().toLowerCase()), ...objects.map(found => entryOf(open, found))];
  const choose = (entry: Entry | undefined): void => {
    if (entry === undefined) return;
    onClose();
    entry.run();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) {
      event.preventDefault();
      setSelected(before => Math.min(Math.max(before + step, 0), entries.length - 1));
    } else if (event.key === 'Enter') {
      event.preventDefault();
      choose(entries[selected]);
    }
  };
  return (
    <Dialog title="Search" onClose={onClose} isWide>
      <input
        className="palette-input"
        role="combobox"
        aria-label="Search objects, kinds, pages and actions"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={entries[selected] && `palette-${selected}`}
        value={text}
        spellCheck={false}
        placeholder={`Search in ${open.cluster}`}
        onChange={({ target }) => {
          setText(target.value);
          setSelected(0);
        }}
        onKeyDown={onKeyDown}
      />
      <ul className="palette" id="palette-list" role="listbox" aria-label="Results">
        {entries.map((entry, index) => (
          <li
            key={entry.id}
            id={`palette-${index}`}
            role="option"
            aria-selected={index === selected}
            onClick={() => choose(entry)}
          >
            <span className="palette-title">{plainText(entry.title)}</span>
            <span className="quiet">{plainText(entry.detail)}</span>
            {entry.found !== undefined && <StateMark state={entry.found.state} />}
            <span className="palette-type">{entry.type}</span>
          </li>
        ))}
      </ul>
      <p className="quiet" role="status">
        {isSearching ? 'Searching objects…' : entries.length === 0 ? 'Nothing found' : ''}
      </p>
    </Dialog>
  );
}

function localEntries({ cluster, kinds, reloadKinds }: OpenCluster, text: string): readonly Entry[] {
  const actions: readonly Entry[] = [
    { id: 'dark', type: 'Action', title: 'Dark theme', detail: '', run: () => setTheme('dark') },
    { id: 'light', type: 'Action', title: 'Light theme', detail: '', run: () => setTheme('light') },
    { id: 'reload', type: 'Action', title: 'Read the kinds again', detail: cluster, run: reloadKinds },
    { id: 'out', type: 'Action', title: 'Sign out', detail: '', run: () => signOut() },
  ];
  const ofPages = pages.map(
    ({ name, title }): Entry => ({
      id: `page-${name}`,
      type: 'Page',
      title,
      detail: cluster,
      run: () => navigate(pageHref(cluster, name)),
    }),
  );
  const ofKinds = kinds
    .filter(
      kind =>
        text !== '' && [kind.kind.toLowerCase(), kind.plural, ...kind.shortNames].some(name => name.includes(text)),
    )
    .slice(0, maxKinds)
    .map(
      (kind): Entry => ({
        id: `kind-${kind.group}-${kind.plural}`,
        type: 'Kind',
        title: kind.kind,
        detail: kind.group || 'core',
        run: () => navigate(kindHref(cluster, kind)),
      }),
    );
  return [...[...ofPages, ...actions].filter(({ title }) => title.toLowerCase().includes(text)), ...ofKinds];
}

const entryOf = ({ cluster }: OpenCluster, found: FoundObject): Entry => ({
  id: `object-${found.group}-${found.plural}-${found.namespace}-${found.name}`,
  type: 'Object',
  title: found.displayName ?? found.name,
  detail: [found.kind, found.namespace].filter(Boolean).join(' · '),
  found,
  run: () => navigate(objectHref(cluster, found, found)),
});

function useObjects(cluster: string, text: string) {
  const [state, setState] = useState<{ readonly objects: readonly FoundObject[]; readonly isSearching: boolean }>({
    objects: [],
    isSearching: false,
  });
  useEffect(() => {
    if (text === '') return setState({ objects: [], isSearching: false });
    const stop = new AbortController();
    setState(({ objects }) => ({ objects, isSearching: true }));
    const timer = setTimeout(() => {
      searchObjects(cluster, { text, limit: maxObjects }, stop.signal).then(
        ({ items }) => setState({ objects: items, isSearching: false }),
        () => stop.signal.aborted || setState({ objects: [], isSearching: false }),
      );
    }, typingPauseMs);
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [cluster, text]);
  return state;
}
