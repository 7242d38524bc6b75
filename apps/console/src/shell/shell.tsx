import { type ReactNode, useEffect, useRef, useState } from 'react';
import { lostConnections } from '../api/follow.ts';
import { Link } from '../routing/link.tsx';
import { changeQuery, navigate, useViewLocation, viewHref } from '../routing/location.ts';
import { pageHref } from '../routing/paths.ts';
import { sessionStore, signOut } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { useStore } from '../ui/store.ts';
import { useLoaded } from '../ui/use-request.ts';
import { readClusters } from './clusters.ts';
import { NamespacePicker } from './namespace-picker.tsx';
import { pages } from './navigation.ts';
import { Palette } from './palette.tsx';
import { ShortcutSheet } from './shortcut-sheet.tsx';
import { useShortcuts } from './use-shortcuts.ts';

interface ShellProps {
  readonly cluster: string;
  readonly page: string;
  readonly children: ReactNode;
}

type Overlay = 'palette' | 'shortcuts' | undefined;

/** What surrounds every view: header, navigation, palette and keyboard. */
export function Shell({ cluster, page, children }: ShellProps) {
  const [overlay, setOverlay] = useState<Overlay>();
  const { query } = useViewLocation();
  const namespace = query.get('ns') ?? undefined;
  const navigation = useRef<HTMLElement>(null);
  useEffect(() => {
    const show = (): void => showCurrent(navigation.current);
    show();
    addEventListener('resize', show);
    return () => removeEventListener('resize', show);
  }, [page]);
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
      <nav ref={navigation} className="navigation" aria-label="Pages">
        {pages.map(({ name, title }) => (
          <Link
            key={name}
            href={pageHref(cluster, name, { ns: namespace })}
            aria-current={name === page ? 'page' : undefined}
          >
            {title}
          </Link>
        ))}
      </nav>
      <main className="main" id="main" tabIndex={-1}>
        {children}
      </main>
      {overlay === 'palette' && <Palette onClose={() => setOverlay(undefined)} />}
      {overlay === 'shortcuts' && <ShortcutSheet onClose={() => setOverlay(undefined)} />}
    </div>
  );
}

/** Where the navigation is a line that is wider than the page, the current page is in its middle. */
function showCurrent(navigation: HTMLElement | null): void {
  const link = navigation?.querySelector<HTMLElement>('[aria-current]');
  if (navigation && link) navigation.scrollLeft = link.offsetLeft - (navigation.clientWidth - link.clientWidth) / 2;
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

/** Shown while changes cannot be followed; what is on the page may be old. */
function ConnectionMark() {
  const lost = useStore(lostConnections);
  return (
    <span className="connection" role="status">
      {lost > 0 ? '◌ Reconnecting…' : ''}
    </span>
  );
}

/** People without an OpenID provider are service accounts: the last part of the user name is theirs. */
const shortName = (username: string): string => username.replace(/^system:serviceaccount:.*:/, '');

function UserMenu() {
  const session = useStore(sessionStore);
  return (
    <details className="user-menu">
      <summary title={session?.username}>{shortName(session?.username ?? '')}</summary>
      <div className="menu">
        <Button kind="quiet" onClick={() => changeQuery({ ns: undefined })}>
          Show all namespaces
        </Button>
        <Button kind="quiet" onClick={() => signOut()}>
          Sign out
        </Button>
      </div>
    </details>
  );
}
