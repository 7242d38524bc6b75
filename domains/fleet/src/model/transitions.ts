import type { FleetErrorCode } from '../errors.ts';
import type { InstanceState } from '../kinds/index.ts';
import type {
  InstanceEvent,
  InstanceEventType,
  InstanceRoutes,
  InstanceStatus,
  StatusChanges,
} from './instance-events.ts';

/** What an event does to an instance. */
export type Transition =
  | { readonly type: 'to'; readonly state: InstanceState; readonly changes: StatusChanges }
  /** The instance itself goes, and a record of it stays. */
  | { readonly type: 'remove' }
  | { readonly type: 'ignore'; readonly why: string }
  /** Only for what administrators ask for. */
  | { readonly type: 'reject'; readonly code: FleetErrorCode; readonly reason: string };

type Of<Type extends InstanceEventType> = Extract<InstanceEvent, { readonly type: Type }>;
type Effect<Type extends InstanceEventType> = (status: InstanceStatus, event: Of<Type>) => Transition;

/** The state of an instance that was made with kubectl and has not been admitted. */
export type AnyState = InstanceState | 'unadmitted';

interface Row<Type extends InstanceEventType> {
  /** In which states the event has an effect. */
  readonly in: Readonly<Partial<Record<AnyState, Effect<Type>>>>;
  /** In all other states. */
  readonly otherwise: (state: AnyState) => Transition;
}

const to = (state: InstanceState, changes: StatusChanges = {}): Transition => ({ type: 'to', state, changes });
const ignore = (why: string): Transition => ({ type: 'ignore', why });
const ignored = (state: AnyState): Transition => ignore(`it does not apply in state ${state}`);
const rejected =
  (what: string) =>
  (state: AnyState): Transition => ({
    type: 'reject',
    code: 8,
    reason: `cannot ${what} an instance in state ${state}`,
  });

/** Applies one effect to several states. */
function inStates<Type extends InstanceEventType>(
  states: readonly AnyState[],
  effect: Effect<Type>,
): Readonly<Partial<Record<AnyState, Effect<Type>>>> {
  return Object.fromEntries(states.map(state => [state, effect]));
}

const here = ({ state }: InstanceStatus, changes: StatusChanges): Transition => to(state ?? 'accepted', changes);

/** The state while nothing of it is to be deleted. */
const living: readonly InstanceState[] = [
  'accepted',
  'preparing',
  'provisioning',
  'ready',
  'failed',
  'suspending',
  'suspended',
  'resuming',
];
/** An agent sees it and works on it. */
const onCluster: readonly InstanceState[] = living.slice(2);
/** Becomes ready when the agent and DNS are. */
const becomingReady: readonly InstanceState[] = ['provisioning', 'failed', 'resuming'];

/** Routes are stored once and never updated. */
const newRoutes = (status: InstanceStatus, routes: InstanceRoutes | undefined): StatusChanges =>
  status.routes === undefined && routes !== undefined && routes.length > 0 ? { routes, routesProblem: undefined } : {};

/** Routes of which DNS may have records. */
const withRoutes = (former: InstanceRoutes = [], routes: InstanceRoutes = []): InstanceRoutes | undefined => {
  const all = new Map([...former, ...routes].map(route => [route.domain, route]));
  return all.size === 0 ? undefined : [...all.values()];
};

/** Ready is both: what the agent says and what DNS has. */
const readyIf = (isReady: boolean | undefined, status: InstanceStatus, changes: StatusChanges): Transition =>
  isReady ? to('ready', { ...changes, failedReason: undefined }) : here(status, changes);

const toDeprovision: Effect<'delete'> = () => to('deprovision');
const agentIsReady: Effect<'agent-ready'> = (status, { routes, adminUrl }) => {
  if (status.host === undefined) return ignore('it was never prepared');
  const changes = {
    agentReady: true,
    ...newRoutes(status, routes),
    ...(adminUrl === undefined ? {} : { adminUrl }),
  };
  return readyIf(status.routesCreated, status, changes);
};
const failedByAgent: Effect<'agent-error'> = (_, { message }) =>
  to('failed', { failedReason: message, agentReady: undefined });
const failedByWorker: Effect<'worker-failed'> = (_, { reason }) => to('failed', { failedReason: reason });

/**
 * The one table of the life of an instance: REST, workers and reports of agents all go by it. What it does not list has
 * no effect, so a late report never revives an instance and a stray `Deleted` never removes one.
 */
const table: { readonly [Type in InstanceEventType]: Row<Type> } = {
  delete: { in: inStates<'delete'>(['unadmitted', ...living], toDeprovision), otherwise: ignored },
  'admin-suspend': { in: { ready: () => to('suspending') }, otherwise: rejected('suspend') },
  'admin-resume': {
    in: {
      suspended: (_, { isInGrace }) =>
        isInGrace
          ? { type: 'reject', code: 8, reason: 'cannot resume an instance whose quota was lost and that expires soon' }
          : to('resuming', { agentReady: undefined }),
    },
    otherwise: rejected('resume'),
  },
  'versions-set': {
    in: inStates<'versions-set'>(['preparing', ...onCluster, 'deprovision'], (status, { desired }) =>
      here(status, { desired }),
    ),
    otherwise: rejected('change versions of'),
  },
  placed: {
    in: inStates<'placed'>(['accepted', 'provisioning'], (status, { clusterId, holds }) =>
      status.clusterId === undefined
        ? here(status, { clusterId, holds: [...holds] })
        : ignore(`it is on cluster ${status.clusterId} already`),
    ),
    otherwise: ignored,
  },
  'versions-chosen': {
    in: {
      accepted: (status, { desired, ssoClientId }) =>
        status.clusterId === undefined
          ? ignore('it has no cluster yet')
          : to('preparing', { desired, ...(ssoClientId === undefined ? {} : { ssoClientId }) }),
      provisioning: (_, { desired }) => to('provisioning', { desired }),
    },
    otherwise: ignored,
  },
  'client-named': {
    in: inStates<'client-named'>(['preparing', 'provisioning'], (status, { ssoClientId }) =>
      here(status, { ssoClientId }),
    ),
    otherwise: ignored,
  },
  prepared: {
    in: inStates<'prepared'>(['preparing', 'provisioning'], (status, { type: _, ...preparation }) =>
      status.clusterId === undefined
        ? ignore('it has no cluster')
        : to('provisioning', { ...preparation, certificateNames: undefined }),
    ),
    otherwise: ignored,
  },
  'expiry-set': {
    in: inStates<'expiry-set'>(living, (status, { expiresAt }) => here(status, { expiresAt })),
    otherwise: ignored,
  },
  'worker-failed': {
    in: inStates<'worker-failed'>(['accepted', 'preparing', 'provisioning', 'resuming'], failedByWorker),
    otherwise: ignored,
  },
  'dns-started': {
    in: inStates<'dns-started'>(onCluster, (status, { changeId }) => here(status, { dnsChangeId: changeId })),
    otherwise: ignored,
  },
  'dns-done': {
    in: {
      ...inStates<'dns-done'>(onCluster, status => here(status, { routesCreated: true, dnsChangeId: undefined })),
      ...inStates<'dns-done'>(becomingReady, status =>
        readyIf(status.agentReady, status, { routesCreated: true, dnsChangeId: undefined }),
      ),
    },
    otherwise: ignored,
  },
  'certificate-renewed': {
    in: inStates<'certificate-renewed'>(onCluster, (status, { certificateExpiresAt, certificateNames }) =>
      here(status, { certificateExpiresAt, certificateNames: [...certificateNames] }),
    ),
    otherwise: ignored,
  },
  'data-plane-gone': { in: { deprovision: () => to('deleting') }, otherwise: ignored },
  'cleaned-up': { in: { deleting: () => ({ type: 'remove' }) }, otherwise: ignored },
  'agent-ready': {
    in: {
      ...inStates<'agent-ready'>(becomingReady, agentIsReady),
      ready: (status, { routes, adminUrl }) =>
        to('ready', {
          agentReady: true,
          ...newRoutes(status, routes),
          ...(adminUrl === undefined ? {} : { adminUrl }),
        }),
    },
    otherwise: ignored,
  },
  'agent-installing': {
    in: {
      ready: (status, { routes }) => to('ready', newRoutes(status, routes)),
      ...inStates<'agent-installing'>(becomingReady, (status, { routes }) =>
        here(status, { agentReady: undefined, ...newRoutes(status, routes) }),
      ),
    },
    otherwise: ignored,
  },
  'agent-routes-rejected': {
    in: inStates<'agent-routes-rejected'>(becomingReady, (status, { problem }) =>
      here(status, { routesProblem: problem }),
    ),
    otherwise: ignored,
  },
  'agent-error': {
    in: inStates<'agent-error'>(['provisioning', 'ready', 'resuming'], failedByAgent),
    otherwise: ignored,
  },
  'agent-deleted': { in: { deprovision: () => to('deleting') }, otherwise: ignored },
  'agent-rejected': {
    in: { provisioning: (_, { placementId }) => to('provisioning', { placementId, agentReady: undefined }) },
    otherwise: ignored,
  },
  'agent-cluster-full': {
    in: {
      provisioning: (status, { keptHolds }) =>
        status.clusterId === undefined
          ? ignore('it has no cluster')
          : to('provisioning', {
              clusterId: undefined,
              placementId: undefined,
              host: undefined,
              desired: undefined,
              agentReady: undefined,
              endpoints: undefined,
              routes: undefined,
              routesProblem: undefined,
              formerRoutes: withRoutes(status.formerRoutes, status.routes),
              routesCreated: undefined,
              dnsChangeId: undefined,
              holds: [...keptHolds],
              excludedClusters: [...new Set([...(status.excludedClusters ?? []), status.clusterId])],
            }),
    },
    otherwise: ignored,
  },
  'agent-suspended': { in: { suspending: () => to('suspended', { agentReady: undefined }) }, otherwise: ignored },
  'agent-endpoints': {
    in: inStates<'agent-endpoints'>(onCluster, (status, { endpoints }) =>
      here(status, { endpoints: endpoints.length === 0 ? undefined : [...endpoints] }),
    ),
    otherwise: ignored,
  },
  'agent-versions': {
    in: inStates<'agent-versions'>(onCluster, (status, { actual, upgrading }) => here(status, { actual, upgrading })),
    otherwise: ignored,
  },
};

/** Decides what an event does to an instance. Pure; the caller compares and sets. */
export function transition(status: InstanceStatus, event: InstanceEvent): Transition {
  const state = status.state ?? 'unadmitted';
  const row = table[event.type] as Row<InstanceEventType>;
  const effect = row.in[state];
  return effect === undefined ? row.otherwise(state) : effect(status, event);
}

/** The status after a transition: fields that became undefined are absent, and a new state has its time. */
export function applyTransition(
  status: InstanceStatus,
  { state, changes }: Extract<Transition, { type: 'to' }>,
  now: string,
): InstanceStatus {
  const isNew = state !== status.state;
  const next: InstanceStatus = {
    ...status,
    ...changes,
    state,
    ...(isNew ? { stateSince: now } : {}),
    ...(state === 'ready' ? { readySince: status.readySince ?? now } : {}),
  };
  return Object.fromEntries(Object.entries(next).filter(([, value]) => value !== undefined));
}
