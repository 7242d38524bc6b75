import { useState } from 'react';
import { Link } from '../routing/link.tsx';
import { useViewLocation } from '../routing/location.ts';
import { pageHref } from '../routing/paths.ts';
import { useIsNarrow } from '../ui/use-is-narrow.ts';
import { pageOfView, pages } from './pages.ts';

/** The pages of a cluster, beside the content; on a narrow screen behind a summary that names the present one. */
export function Navigation({ cluster }: { readonly cluster: string }) {
  const { segments, query } = useViewLocation();
  const isNarrow = useIsNarrow();
  const [isOpen, setOpen] = useState(false);
  const [, view = '', ...rest] = segments;
  const current = pageOfView(view, rest);
  const ns = query.get('ns') ?? undefined;
  return (
    <nav className="navigation" aria-label="Pages">
      <details
        open={!isNarrow || isOpen}
        onToggle={({ currentTarget }) => isNarrow && setOpen(currentTarget.open)}
        onClick={({ target }) => target instanceof HTMLAnchorElement && setOpen(false)}
      >
        <summary hidden={!isNarrow}>{pages.find(({ name }) => name === current)?.title ?? 'Pages'}</summary>
        <div className="navigation-pages">
          {pages.map(({ name, title }) => (
            <Link
              key={name}
              href={pageHref(cluster, name, { ns })}
              aria-current={name === view ? 'page' : name === current ? 'true' : undefined}
            >
              {title}
            </Link>
          ))}
        </div>
      </details>
    </nav>
  );
}
