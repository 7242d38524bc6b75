import { workflowsCluster, workflowsRef } from '../../../kinds/workflows/index.ts';
import { withoutUndefined } from '../../../model/bodies/body-fields.ts';
import { columnsOf } from '../../../model/lists/list-column.ts';
import { accountUrn, urnOf } from '../../../model/urns.ts';
import { indexTerm, type OrdersRegistry, type Version } from '../../../registry/orders-registry.ts';
import { presentArtifactItem } from '../artifacts/present-artifact.ts';
import type { Call } from '../call.ts';
import { hrefOf, type Link, link } from '../links.ts';

type Order = Version<'orders'>;

export const orderColumns = columnsOf<Order>({
  text: {
    id: ({ id }) => urnOf('order', id),
    name: ({ spec }) => spec.name,
    tags: ({ spec }) => spec.tags,
    service: ({ spec }) => spec.service,
    status: ({ status }) => status.status,
    account: ({ tenant }) => accountUrn(tenant),
    policy: ({ spec }) => spec.policy,
  },
  time: {
    'created-at': ({ createdAt }) => createdAt,
    'ordered-at': ({ status, createdAt }) => status.orderedAt ?? createdAt,
    'started-at': ({ status }) => status.startedAt,
    'finished-at': ({ status }) => status.finishedAt,
  },
});

/** An order in a list. */
export const presentOrderItem = ({ id, tenant, createdAt, spec, status }: Order, call: Call): object =>
  withoutUndefined({
    id: urnOf('order', id),
    href: hrefOf(call, 'order', id),
    service: spec.service,
    account: accountUrn(tenant),
    name: spec.name,
    status: status.status ?? 'pending',
    'ordered-at': status.orderedAt ?? createdAt,
    'started-at': status.startedAt,
    'finished-at': status.finishedAt,
  });

const maxListedProducts = 10;

/** An order as a record, with its newest products. */
export function presentOrder(order: Order, call: Call, { artifacts }: Pick<OrdersRegistry, 'artifacts'>): object {
  const { id, spec, status } = order;
  const products = [
    ...artifacts.newestFirst({ where: { index: 'producer', value: indexTerm(order.tenant, id) } }),
  ].slice(0, maxListedProducts);
  const href = hrefOf(call, 'order', id);
  return withoutUndefined({
    ...presentOrderItem(order, call),
    href: undefined,
    tags: spec.tags,
    policy: spec.policy,
    parameters: (spec.parameters ?? []).map(({ name, value }) => ({ name, value })),
    execution: spec.execution,
    'resubmit-of': spec.resubmitOf,
    job: spec.job,
    'error-message': status.errorMessage,
    warnings: status.warnings,
    suspended: status.suspended,
    retries: status.retries,
    runs: status.runs,
    result: status.result,
    products: {
      items: products.map(artifact => presentArtifactItem(artifact, call)),
      links: [link('self', `${href}/products`)],
    },
    links: [link('self', href), ...workflowLink(call, href, status.workflow), link('logs', `${href}/logs`)],
  });
}

/** Where the Workflow is: for clients of Kubernetes, or what the REST API shows of one on another cluster. */
function workflowLink({ origin }: Call, href: string, workflow: Order['status']['workflow']): readonly Link[] {
  if (workflow === undefined) return [];
  if (workflow.cluster !== undefined) return [link('workflow', `${href}/workflow`)];
  const { group, version, plural } = workflowsRef;
  const path = `/clusters/${workflowsCluster}/apis/${group}/${version}/namespaces/${workflow.namespace}/${plural}/${workflow.name}`;
  return [link('workflow', origin + path)];
}
