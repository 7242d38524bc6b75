import { situationOf } from '@chandlery/api';
import type { NodeStatus } from '@chandlery/workflow';
import { useDenial } from '../../api/access.ts';
import type { ObjectName, ServedKind } from '../../api/kinds.ts';
import { Link } from '../../routing/link.tsx';
import { changeQuery, navigate, useViewLocation, viewHref } from '../../routing/location.ts';
import { objectHref, pageHref } from '../../routing/paths.ts';
import { useCluster } from '../../shell/cluster-context.tsx';
import { usePageTitle } from '../../shell/page-title.ts';
import { FailureNotice, FailurePage, Loading, Notice } from '../../ui/notice.tsx';
import { StateMark } from '../../ui/state-mark.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { LogViewer } from '../log-viewer.tsx';
import { useLiveObject } from '../object/live-object.ts';
import { useFollowedWorkflow } from './followed-workflow.ts';
import { controlOrder, isEndedOrder, type OrderObject, openLog, stateOfOrder, statusOf, titleOf } from './order.ts';
import { OrderDetails, OrderProducts } from './order-details.tsx';
import type { RunAction } from './run-actions.ts';
import { RunHead } from './run-head.tsx';
import { RunProgress } from './run-progress.tsx';
import { isSuspended, nodesOf } from './workflow.ts';

interface OrderRunProps extends ObjectName {
  readonly kind: ServedKind;
}

/** An order while it is executed, and after: its graph, its values, its products, its log. */
export function OrderRun({ kind, namespace = '', name }: OrderRunProps) {
  const { cluster } = useCluster();
  const { object, isDeleted = false, error } = useLiveObject(cluster, kind, { namespace, name });
  usePageTitle(`Order ${name}`);
  if (object === undefined && error !== undefined)
    return <FailurePage title={name} goal={`read order "${name}"`} error={error} />;
  if (object === undefined) return <Loading what={`order "${name}"`} />;
  return <OpenOrder kind={kind} order={object as OrderObject} isDeleted={isDeleted} />;
}

const tabLabels = { progress: 'Progress', details: 'Order', products: 'Products', log: 'Whole log' } as const;
type TabName = keyof typeof tabLabels;
const tabNames = Object.keys(tabLabels) as TabName[];

interface OpenOrderProps {
  readonly kind: ServedKind;
  readonly order: OrderObject;
  readonly isDeleted: boolean;
}

function OpenOrder({ kind, order, isDeleted }: OpenOrderProps) {
  const { cluster } = useCluster();
  const { query } = useViewLocation();
  const { namespace = '', name = '' } = order.metadata;
  const { workflow, error } = useFollowedWorkflow(order);
  const place = { cluster, ...kind, namespace, name };
  const updateDenial = useDenial({ ...place, verb: 'update' });
  const createDenial = useDenial({ ...place, name: '', verb: 'create' });
  const { state } = situationOf(order);
  const suspended = nodesOf(workflow).filter(isSuspended);
  const control = async (action: RunAction, change?: object): Promise<void> => {
    const id = await controlOrder(order, action, change);
    if (id !== name) navigate(viewHref([cluster, 'orders', namespace, id], { ns: query.get('ns') ?? undefined }));
  };
  const again = (change: object) => (node: NodeStatus) =>
    control(isEndedOrder(order) ? 'retry' : 'resume', { ...change, selector: `id=${node.id}` });
  const tab = tabNames.find(each => each === query.get('tab')) ?? 'progress';
  const word = statusOf(order);
  return (
    <>
      <RunHead
        crumbs={
          <>
            <Link href={pageHref(cluster, 'orders', { ns: query.get('ns') ?? undefined })}>Orders</Link> · {namespace} ·{' '}
            <Link href={objectHref(cluster, kind, { namespace, name })}>Object details</Link>
          </>
        }
        title={titleOf(order)}
        mark={<StateMark state={state} word={word.charAt(0).toUpperCase() + word.slice(1)} />}
        message={order.status?.errorMessage}
        state={stateOfOrder(order, suspended.length > 0)}
        denialOf={action => (action === 'resubmit' ? createDenial : updateDenial)}
        onAction={control}
      />
      {isDeleted && <Notice kind="warning">This order was deleted. What you see is its last state.</Notice>}
      {error !== undefined && <FailureNotice goal="follow the workflow of this order" error={error} />}
      <Tabs
        label={`Parts of order ${name}`}
        tabs={tabNames.map(each => ({ name: each, label: tabLabels[each] }))}
        selected={tab}
        onSelect={next => changeQuery({ tab: next === 'progress' ? undefined : next })}
      >
        {tab === 'progress' && (
          <RunProgress
            title={titleOf(order)}
            workflow={workflow}
            none={isEndedOrder(order) ? 'Nothing was executed' : `Nothing is executed yet: the order is ${word}`}
            control={{
              denial: updateDenial,
              isEnded: isEndedOrder(order),
              onResume: again({}),
              onRunAgain: again({ 'restart-successful': true }),
            }}
            openLog={(node, signal) => openLog(order, node.id, signal)}
          />
        )}
        {tab === 'details' && <OrderDetails order={order} />}
        {tab === 'products' && <OrderProducts order={order} />}
        {tab === 'log' && (
          <LogViewer
            source={`${order.metadata.uid} ${order.status?.retries ?? 0}`}
            isRunning={!isEndedOrder(order)}
            open={signal => openLog(order, undefined, signal)}
            fileName={`order-${name}.log`}
          />
        )}
      </Tabs>
    </>
  );
}
