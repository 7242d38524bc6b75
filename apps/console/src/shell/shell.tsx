import { type ReactNode, useState } from 'react';
import { endedFollows, lostConnections } from '../api/follow.ts';
import { Link } from '../routing/link.tsx';
import { navigate, useViewLocation, viewHref } from '../routing/location.ts';
import { pageHref } from '../routing/paths.ts';
import { Button } from '../ui/button.tsx';
import { useStore } from '../ui/store.ts';
import { useLoaded } from '../ui/use-request.ts';
import { readClusters } from './clusters.ts';
import { NamespacePicker } from './namespace-picker.tsx';
import { Navigation } from './navigation.tsx';
import { Palette } from './palette.tsx';
import { ShortcutSheet } from './shortcut-sheet.tsx';
import { useShortcuts } from './use-shortcuts.ts';
import { UserMenu } from './user-menu.tsx';

interface ShellProps {
  readonly cluster: string;
  readonly children: ReactNode;
}

type Overlay = 'palette' | 'shortcuts' | undefined;

/** What surrounds every view: header, navigation, palette and keyboard. */
export function Shell({ cluster, children }: ShellProps) {
  const [overlay, setOverlay] = useState<Overlay>();
  const namespace = useViewLocation().query.get('ns') ?? undefined;
  useShortcuts({
    onPalette: () => setOverlay('palette'),
    onSheet: () => setOverlay('shortcuts'),
    onPage: name => navigate(pageHref(cluster, name, { ns: namespace })),
  });
  return (
    <div className="shell">
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <header className="header">
        <Link className="brand" href={pageHref(cluster, 'home')}>
          <img src="/console/icon.svg" alt="" width="28" height="28" /> <span>Chandlery</span>
        </Link>
        <ClusterPicker cluster={cluster} />
        <NamespacePicker namespace={namespace ?? ''} />
        <Button className="search-button" onClick={() => setOverlay('palette')} aria-keyshortcuts="Control+K">
          Search <kbd>Ctrl K</kbd>
        </Button>
        <ConnectionMark />
        <UserMenu />
      </header>
      <Navigation cluster={cluster} />
      <main className="main" id="main" tabIndex={-1}>
        {children}
      </main>
      {overlay === 'palette' && (
        <Palette onClose={() => setOverlay(undefined)} onShortcuts={() => setOverlay('shortcuts')} />
      )}
      {overlay === 'shortcuts' && <ShortcutSheet onClose={() => setOverlay(undefined)} />}
    </div>
  );
}

function ClusterPicker({ cluster }: { readonly cluster: string }) {
  const { value = [] } = useLoaded(readClusters, []);
  const names = value.includes(cluster) ? value : [cluster, ...value];
  return (
    <label className="picker">
      <span>Cluster</span>
      <select value={cluster} onChange={({ target }) => navigate(viewHref([target.value, 'home']))}>
        {names.map(name => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </label>
  );
}

/** Shown while changes cannot be followed, or may not be any more; what is on the page may be old. */
function ConnectionMark() {
  const lost = useStore(lostConnections);
  const ended = useStore(endedFollows);
  return (
    <span className="connection" role="status">
      {lost > 0 ? '◌ Reconnecting…' : ended > 0 ? '! Changes are not shown any more' : ''}
    </span>
  );
}
