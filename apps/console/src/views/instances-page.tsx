import type { ReactNode } from 'react';
import { readNames } from '../api/service-manager.ts';
import type { TableRow } from '../api/table.ts';
import { Link } from '../routing/link.tsx';
import { useViewLocation } from '../routing/location.ts';
import { pageHref } from '../routing/paths.ts';
import { useCluster, useKind } from '../shell/cluster-context.tsx';
import { EmptyState } from '../ui/notice.tsx';
import { useKept } from '../ui/use-kept.ts';
import { useLoaded } from '../ui/use-request.ts';
import { KindList } from './kind-list/kind-list-page.tsx';
import type { ListPresentation } from './kind-list/list-table.tsx';

/** Instances of every API: the service manager tracks them all. */
export function InstancesPage() {
  const { cluster } = useCluster();
  const { query } = useViewLocation();
  const kind = useKind('brokers.chandlery.io', 'serviceinstances');
  if (kind === undefined) return <EmptyState isPage title={`Cluster "${cluster}" has no service instances`} />;
  return (
    <KindList
      kind={kind}
      title="Instances"
      about="Everything that was ordered, through whichever API"
      usePresentation={usePlanNames}
      advice={<p className="quiet">Order something: what you may order is in the catalogue.</p>}
      actions={
        <Link
          className="button button-primary"
          href={pageHref(cluster, 'catalogue', { ns: query.get('ns') ?? undefined })}
        >
          Order…
        </Link>
      }
    />
  );
}

interface InstanceSpec {
  readonly planId?: string;
  readonly platformId?: string;
}

const specOf = ({ object }: TableRow): InstanceSpec => (object as { readonly spec?: InstanceSpec }).spec ?? {};

/** Instances name their plan and their platform by id: people read names. */
function usePlanNames(rows: readonly TableRow[]): ListPresentation {
  const [planIds, platformIds] = (['planId', 'platformId'] as const).map(field =>
    [...new Set(rows.flatMap(row => specOf(row)[field] ?? []))].toSorted(),
  ) as [string[], string[]];
  const { value, error } = useLoaded(
    signal => readNames({ planIds, platformIds }, signal),
    [planIds.join(), platformIds.join()],
  );
  const names = useKept(value);
  const cell = (column: string, row: TableRow): ReactNode => {
    const { planId = '', platformId = '' } = specOf(row);
    if (column === 'Plan') return names?.get(planId) ?? (value === undefined && error === undefined ? '…' : undefined);
    return column === 'Platform' ? names?.get(platformId) : undefined;
  };
  return { cell };
}
