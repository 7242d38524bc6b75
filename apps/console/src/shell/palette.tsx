import { type KeyboardEvent, useEffect, useState } from 'react';
import { type FoundObject, searchObjects } from '../api/search.ts';
import { changeQuery, navigate } from '../routing/location.ts';
import { kindHref, objectHref, pageHref } from '../routing/paths.ts';
import { signOut } from '../session/session.ts';
import { Dialog } from '../ui/dialog.tsx';
import { plainText } from '../ui/plain-text.ts';
import { StateMark } from '../ui/state-mark.tsx';
import { setTimeFormat } from '../ui/time.tsx';
import { useLoaded } from '../ui/use-request.ts';
import { type OpenCluster, useCluster } from './cluster-context.tsx';
import { readClusters } from './clusters.ts';
import { pages } from './pages.ts';
import { setTheme } from './theme.ts';

interface Entry {
  readonly id: string;
  readonly type: 'Page' | 'Action' | 'Cluster' | 'Kind' | 'Object';
  readonly title: string;
  readonly detail: string;
  readonly found?: FoundObject;
  readonly run: () => void;
}

const typingPauseMs = 200;
const maxObjects = 20;
const maxKinds = 8;

interface PaletteProps {
  readonly onClose: () => void;
  readonly onShortcuts: () => void;
}

/** Finds pages, actions, clusters, kinds and objects by a few letters. */
export function Palette({ onClose, onShortcuts }: PaletteProps) {
  const open = useCluster();
  const { value: clusters = [] } = useLoaded(readClusters, []);
  const [text, setText] = useState('');
  const [selected, setSelected] = useState(0);
  const { objects, isSearching } = useObjects(open.cluster, text.trim());
  const wanted = text.trim().toLowerCase();
  const entries = [
    ...[...pagesIn(open), ...actionsIn(open, onShortcuts), ...clusterEntries(clusters, open.cluster)].filter(
      ({ title }) => title.toLowerCase().includes(wanted),
    ),
    ...kindsIn(open, wanted),
    ...objects.map(found => entryOf(open, found)),
  ];
  useEffect(
    () => void document.querySelector(`#palette-${selected}`)?.scrollIntoView({ block: 'nearest' }),
    [selected],
  );
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
        aria-label="Search objects, kinds, pages, clusters and actions"
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
            <span className="palette-detail quiet">{plainText(entry.detail)}</span>
            {entry.found !== undefined && entry.found.state !== 'exists' && <StateMark state={entry.found.state} />}
            <span className="palette-type">{entry.type}</span>
          </li>
        ))}
      </ul>
      <p className="quiet" role="status">
        {isSearching ? 'Searching objects…' : entries.length === 0 ? 'Nothing found' : '↑ ↓ to choose, Enter to open'}
      </p>
    </Dialog>
  );
}

const pagesIn = ({ cluster }: OpenCluster): readonly Entry[] =>
  pages.map(({ name, title }) => ({
    id: `page-${name}`,
    type: 'Page',
    title,
    detail: cluster,
    run: () => navigate(pageHref(cluster, name)),
  }));

function actionsIn({ cluster, reloadKinds }: OpenCluster, onShortcuts: () => void): readonly Entry[] {
  const action = (id: string, title: string, run: () => void, detail = ''): Entry => ({
    id,
    type: 'Action',
    title,
    detail,
    run,
  });
  return [
    action('order', 'Order a service', () => navigate(pageHref(cluster, 'catalogue'))),
    action('all', 'Show all namespaces', () => changeQuery({ ns: undefined })),
    action('dark', 'Dark theme', () => setTheme('dark')),
    action('light', 'Light theme', () => setTheme('light')),
    action('ago', 'Show how long ago', () => setTimeFormat('relative')),
    action('local', 'Show exact times', () => setTimeFormat('local')),
    action('utc', 'Show times in UTC', () => setTimeFormat('utc')),
    action('reload', 'Read the kinds again', reloadKinds, cluster),
    action('keys', 'Keyboard shortcuts', onShortcuts),
    action('out', 'Sign out', () => signOut()),
  ];
}

const clusterEntries = (names: readonly string[], present: string): readonly Entry[] =>
  names
    .filter(name => name !== present)
    .map(name => ({
      id: `cluster-${name}`,
      type: 'Cluster',
      title: `Open cluster ${name}`,
      detail: '',
      run: () => navigate(pageHref(name, 'home')),
    }));

const kindsIn = ({ cluster, kinds }: OpenCluster, text: string): readonly Entry[] =>
  kinds
    .filter(
      kind =>
        text !== '' && [kind.kind.toLowerCase(), kind.plural, ...kind.shortNames].some(name => name.includes(text)),
    )
    .slice(0, maxKinds)
    .map(kind => ({
      id: `kind-${kind.group}-${kind.plural}`,
      type: 'Kind',
      title: kind.kind,
      detail: kind.group || 'core',
      run: () => navigate(kindHref(cluster, kind)),
    }));

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
      searchObjects(cluster, { text, limit: maxObjects, orderBy: 'name' }, stop.signal).then(
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
