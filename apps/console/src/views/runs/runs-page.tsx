import { Link } from '../../routing/link.tsx';
import { useViewLocation, viewHref } from '../../routing/location.ts';
import { pageHref } from '../../routing/paths.ts';
import { useCluster, useKind } from '../../shell/cluster-context.tsx';
import { EmptyState } from '../../ui/notice.tsx';
import { KindList } from '../kind-list/kind-list-page.tsx';
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
  return <EmptyState title={`Cluster "${cluster}" has neither orders nor workflows`} />;
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
