import type { ReactNode } from 'react';
import type { TableRow } from '../../api/table.ts';
import { Link } from '../../routing/link.tsx';
import { useViewLocation, viewHref } from '../../routing/location.ts';
import { pageHref } from '../../routing/paths.ts';
import { useCluster, useKind } from '../../shell/cluster-context.tsx';
import { EmptyState } from '../../ui/notice.tsx';
import { plainText } from '../../ui/plain-text.ts';
import { useKept } from '../../ui/use-kept.ts';
import { useLoaded } from '../../ui/use-request.ts';
import { KindList } from '../kind-list/kind-list-page.tsx';
import type { ListPresentation } from '../kind-list/list-table.tsx';
import { type OrderObject, readServiceName } from './order.ts';
import { OrderRun } from './order-run.tsx';
import { orderLabel } from './workflow.ts';
import { WorkflowRun } from './workflow-run.tsx';

interface RunsPageProps {
  readonly namespace: string;
  /** Empty: the list. */
  readonly name: string;
}

/** Orders where they are placed; on clusters that execute Workflows, those that no order owns. */
export default function RunsPage({ namespace, name }: RunsPageProps) {
  const { cluster } = useCluster();
  const orders = useKind('orders.chandlery.io', 'orders');
  const workflows = useKind('argoproj.io', 'workflows');
  if (orders !== undefined)
    return name === '' ? (
      <OrderList kind={orders} />
    ) : (
      <OrderRun key={name} kind={orders} namespace={namespace} name={name} />
    );
  if (workflows !== undefined)
    return name === '' ? (
      <WorkflowList kind={workflows} />
    ) : (
      <WorkflowRun key={`${namespace}/${name}`} kind={workflows} namespace={namespace} name={name} />
    );
  return <EmptyState isPage title={`Cluster "${cluster}" has neither orders nor workflows`} />;
}

type Kind = React.ComponentProps<typeof KindList>['kind'];

function OrderList({ kind }: { readonly kind: Kind }) {
  const { cluster } = useCluster();
  const ns = useViewLocation().query.get('ns') ?? undefined;
  return (
    <KindList
      kind={kind}
      title="Orders"
      about="What services were ordered to do once, and how far it is"
      usePresentation={useServiceNames}
      advice={<p className="quiet">Order a service: what you may order is in the catalogue.</p>}
      hrefOf={({ namespace = '', name }) => viewHref([cluster, 'orders', namespace, name], { ns })}
      actions={
        <>
          <Link className="button" href={pageHref(workflowsCluster, 'orders')}>
            Workflow runs
          </Link>
          <Link className="button button-primary" href={pageHref(cluster, 'catalogue', { ns })}>
            Order…
          </Link>
        </>
      }
    />
  );
}

const serviceOf = ({ object }: TableRow): string =>
  (object as { readonly spec?: { readonly service?: string } }).spec?.service ?? '';

const hasName = ({ object }: TableRow): boolean => typeof (object as OrderObject).spec.name === 'string';
/** Enough to distinguish orders. */
const shortIdLength = 8;

/** Orders name their service by a URN: people read its name. */
function useServiceNames(rows: readonly TableRow[]): ListPresentation {
  const services = [...new Map(rows.map(row => [serviceOf(row), row.object.metadata.namespace ?? ''] as const))];
  const { value } = useLoaded(
    async signal =>
      new Map(
        await Promise.all(
          services.map(async ([service, namespace]) => {
            const name = await readServiceName(service, namespace, signal).catch(() => undefined);
            return [service, name] as const;
          }),
        ),
      ),
    [services.toSorted().join(' ')],
  );
  const names = useKept(value);
  const cell = (column: string, row: TableRow): ReactNode => {
    const name = names?.get(serviceOf(row)) ?? (value === undefined ? '…' : undefined);
    return column === 'Service' && name !== undefined ? plainText(name) : undefined;
  };
  // An order without a name is known by what was ordered.
  const nameOf = (row: TableRow): string | undefined => {
    const { name = '' } = row.object.metadata;
    const service = names?.get(serviceOf(row));
    return service === undefined || hasName(row) ? undefined : `${service} ${name.slice(0, shortIdLength)}`;
  };
  return { shown: ['Service'], cell, nameOf };
}

/** Where Workflows run that are handed to the landscape itself. */
const workflowsCluster = 'platform';
const ordersCluster = 'onboarding';

function WorkflowList({ kind }: { readonly kind: Kind }) {
  const { cluster } = useCluster();
  const ns = useViewLocation().query.get('ns') ?? undefined;
  return (
    <KindList
      kind={kind}
      title="Workflow runs"
      about="Workflows that no order owns"
      scope={`!${orderLabel}`}
      hrefOf={({ namespace = '', name }) => viewHref([cluster, 'orders', namespace, name], { ns })}
      actions={
        <Link className="button" href={pageHref(ordersCluster, 'orders')}>
          Orders
        </Link>
      }
    />
  );
}
