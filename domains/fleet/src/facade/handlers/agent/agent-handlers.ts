import type { JsonObject } from '@chandlery/api';
import { readListening } from '@chandlery/brokers/kinds';
import type { InstanceReport } from '../../../actions/fleet-actions.ts';
import { fleetError } from '../../../errors.ts';
import type { ProductNames } from '../../../model/product-names.ts';
import type { MeasuredSample } from '../../../ports.ts';
import { type InstanceRow, indexTerm } from '../../../registry/fleet-registry.ts';
import { bodyError, type FieldReader, fieldsOf } from '../body-fields.ts';
import { type AgentCall, type FleetResponse, ok } from '../call.ts';
import type { HandlerDeps } from '../facade-deps.ts';
import { findInstance } from '../instances/find-instance.ts';
import { isVisibleToAgent } from './agent-view.ts';
import type { ClusterRevisions } from './cluster-revisions.ts';
import type { ManagedItems } from './managed-items.ts';
import { readClusterReport, readConditions } from './read-cluster-report.ts';
import type { WaitingPolls } from './waiting-polls.ts';

const maxWaitSeconds = 60;

interface Deps extends Pick<HandlerDeps, 'tables' | 'actions' | 'recordMetrics'> {
  readonly revisions: ClusterRevisions;
  readonly polls: WaitingPolls;
  readonly items: ManagedItems;
}

/** Handlers for the agents of data-plane clusters. The configuration has the product's program for agents of the landscape. */
export const agentHandlers = ({ tables, actions, recordMetrics, revisions, polls, items }: Deps) => ({
  getConfiguration: async ({ product, cluster }: AgentCall): Promise<FleetResponse> => {
    actions.agentSeen(product, cluster);
    const observability = { accessToken: null, channel: '', repository: '', tag: '' };
    const { program } = product.row.spec;
    return ok({ spec: { observability, ...(program === undefined ? {} : { program }) } });
  },

  putStatus: async ({ product, cluster, names, readBody }: AgentCall): Promise<FleetResponse> => {
    const report = readClusterReport(await readBody(), names);
    actions.agentSeen(product, cluster);
    await actions.reportCluster(product, cluster, report);
    return { status: 204 };
  },

  putInstanceStatuses: async ({ product, cluster, names, readBody }: AgentCall): Promise<FleetResponse> => {
    const reports = readInstanceReports(await readBody(), names);
    actions.agentSeen(product, cluster);
    await actions.reportInstances(product, cluster, reports);
    return { status: 200 };
  },

  /** Takes over what the agent measured of instances on its cluster; others are left out. */
  putMetrics: async ({ product, cluster, readBody }: AgentCall): Promise<FleetResponse> => {
    const samples = readSamples(await readBody());
    actions.agentSeen(product, cluster);
    const recorder = recordMetrics(product);
    for (const [id, ofInstance] of samples) {
      const row = tables.instances.get(id);
      if (row?.spec.product === product.row.id && row.status.clusterId === cluster.spec.clusterId)
        recorder?.record(id, ofInstance);
    }
    return { status: 204 };
  },

  /**
   * Lists what belongs on the cluster. With `revision` and `wait` it waits for something else than that revision, and
   * responds 304 when there is nothing. `secrets=false` leaves secrets out.
   */
  list: async (call: AgentCall): Promise<FleetResponse> => {
    const { product, cluster, names, query, signal } = call;
    actions.agentSeen(product, cluster);
    const key = clusterKey(call);
    const known = query.get('revision');
    const waitMs = readWaitSeconds(query) * 1000;
    if (known !== null && !(await polls.hasNews({ cluster: key, revision: known, waitMs, signal })))
      return { status: 304 };
    const revision = revisions.of(key);
    const rows = [...tables.instances.by('cluster', key)].filter(isVisibleToAgent).sort(byId);
    const withSecrets = query.get('secrets') !== 'false';
    return ok({
      kind: `Managed${names.kind}List`,
      revision,
      items: await items.buildAll(rows, names, { withSecrets }),
    });
  },

  /** One instance of the cluster with its secrets. */
  get: async (call: AgentCall): Promise<FleetResponse> => {
    const { instanceId = '' } = call.params;
    actions.agentSeen(call.product, call.cluster);
    const row = findInstance({ ...call, params: { id: instanceId } }, tables);
    if (row.status.clusterId !== call.cluster.spec.clusterId || !isVisibleToAgent(row))
      throw fleetError(7, `No instance with id '${instanceId}' is on the cluster`);
    return ok(await items.build(row, call.names, { withSecrets: true }));
  },
});

const clusterKey = ({ product, cluster }: AgentCall): string => indexTerm(product.row.id, cluster.spec.clusterId);

const byId = (one: InstanceRow, other: InstanceRow): number => (one.id < other.id ? -1 : 1);

/** Throws error 21. */
function readWaitSeconds(query: URLSearchParams): number {
  const text = query.get('wait') ?? '0';
  const seconds = Number(text);
  if (text === '' || !Number.isFinite(seconds) || seconds < 0)
    throw fleetError(21, 'Bad request: wait must be a number of seconds');
  return Math.min(seconds, maxWaitSeconds);
}

/** Reads what an agent says of its instances, by their ids. Throws error 17. */
function readInstanceReports(body: JsonObject, names: ProductNames): ReadonlyMap<string, InstanceReport> {
  const reports = [...fieldsOf(body).entries()].map(([id, fields]) => [id, readReport(fields, names)] as const);
  return new Map(reports);
}

function readReport(fields: FieldReader, { singular }: ProductNames): InstanceReport {
  const versions = fields.object('versions');
  return {
    conditions: readConditions(fields),
    versions: { product: versions?.text(singular), operator: versions?.text(`${singular}Operator`) },
    routes: fields.objects('routes')?.map(route => ({
      name: route.text('name') ?? '',
      prefix: route.text('prefix') ?? '',
      router: route.text('router') ?? '',
    })),
    adminUrl: fields.text('adminServerURI'),
    endpoints: readEndpoints(fields),
  };
}

/** Reads where an instance takes connections; whatever is not an address and a port is left out. */
function readEndpoints(fields: FieldReader): InstanceReport['endpoints'] {
  const endpoints = fields.objects('endpoints')?.map(endpoint => ({
    address: endpoint.text('address'),
    port: endpoint.number('port'),
    name: endpoint.text('name'),
  }));
  return endpoints && [...(readListening({ endpoints })?.endpoints ?? [])];
}

/** Reads samples by the ids of instances: `{<id>: [{metric: {__name__, …}, value}]}`. Throws error 17. */
function readSamples(body: JsonObject): ReadonlyMap<string, readonly MeasuredSample[]> {
  return new Map(Object.entries(body).map(([id, samples]) => [id, readList(id, samples)]));
}

function readList(id: string, samples: unknown): readonly MeasuredSample[] {
  if (!Array.isArray(samples) || !samples.every(isSample))
    throw bodyError(`${id} must be a list of samples, each with the labels of a metric and a value`);
  return samples;
}

function isSample(sample: unknown): sample is MeasuredSample {
  const { metric, value } = (sample ?? {}) as { readonly metric?: unknown; readonly value?: unknown };
  if (typeof metric !== 'object' || metric === null || Array.isArray(metric)) return false;
  return typeof value === 'number' && Object.values(metric).every(label => typeof label === 'string');
}
