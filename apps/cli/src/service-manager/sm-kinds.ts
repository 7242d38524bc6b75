import type { Column as ListColumn } from '../output/print-results.ts';
import { operationFailure } from './operation-failure.ts';
import type { SmObject, SmOperation } from './sm-types.ts';

/** A column of a list. */
export type Column = ListColumn<SmObject & SmOperation>;

type Trait = 'broker_url' | 'type' | 'platform_id' | 'service_instance_id';

/** A kind of resource of the service manager. */
export interface SmKind {
  /** Where it is listed. */
  readonly path: string;
  /** "service broker". */
  readonly noun: string;
  /** The command that lists it. */
  readonly list: string;
  readonly columns: readonly Column[];
  /** The fields that distinguish resources of the same name. */
  readonly traits: readonly (readonly [word: string, field: Trait])[];
}

const yesNo = (value: boolean | undefined): string => (value === undefined ? '' : String(value));
/** A time without fractions of seconds. */
const time = (value: string | undefined): string => (value ?? '').replace(/\.\d+/, '');

/** `tier=prod,stage env=dev`. */
const labelsText = ({ labels = {} }: SmObject): string =>
  Object.entries(labels)
    .map(([key, values]) => `${key}=${values.join(',')}`)
    .join(' ');

const lastText = ({ last_operation: last }: SmObject): string => (last ? `${last.type} ${last.state}` : '');

/** Why it failed, or how it goes. */
const descriptionOf = (operation: SmOperation): string | undefined =>
  operation.state === 'failed' ? operationFailure(operation).message : operation.description;

const id: Column = ['id', object => object.id, 'wide'];
/** Of what has no name. */
const onlyId: Column = ['id', object => object.id];
const name: Column = ['name', object => object.name];
const description: Column = ['description', object => object.description];
const created: Column = ['created', object => time(object.created_at), 'wide'];
const updated: Column = ['updated', object => time(object.updated_at), 'wide'];
const ready: Column = ['ready', object => yesNo(object.ready)];
const labels: Column = ['labels', labelsText];
const lastOp: Column = ['last op', lastText];
const progress: Column = [
  'progress',
  ({ last_operation: last }) => (last?.state === 'in progress' ? last.description : undefined),
  'wide',
];
const planId: Column = ['service plan id', object => object.service_plan_id];
const platformId: Column = ['platform id', object => object.platform_id];
const type: Column = ['type', object => object.type];

/** The kinds of the service manager. */
export const smKinds = {
  brokers: {
    path: '/v1/service_brokers',
    noun: 'service broker',
    list: 'broker list',
    columns: [name, ['url', object => object.broker_url], description, ready, lastOp, labels, id, created, updated],
    traits: [['at', 'broker_url']],
  },
  platforms: {
    path: '/v1/platforms',
    noun: 'platform',
    list: 'platform list',
    columns: [name, type, description, ready, labels, id, created, updated],
    traits: [['type', 'type']],
  },
  visibilities: {
    path: '/v1/visibilities',
    noun: 'visibility',
    list: 'visibility list',
    columns: [['platform id', object => object.platform_id || '*'], planId, ready, labels, id],
    traits: [],
  },
  offerings: {
    path: '/v1/service_offerings',
    noun: 'service offering',
    list: 'offering list',
    columns: [name, description, ['broker id', object => object.broker_id], ready, labels, id],
    traits: [],
  },
  plans: {
    path: '/v1/service_plans',
    noun: 'service plan',
    list: 'plan list',
    columns: [name, ['offering id', object => object.service_offering_id], description, ready, id],
    traits: [],
  },
  instances: {
    path: '/v1/service_instances',
    noun: 'service instance',
    list: 'instance list',
    columns: [
      name,
      planId,
      platformId,
      ['shared', object => yesNo(object.shared)],
      ready,
      ['usable', object => yesNo(object.usable)],
      lastOp,
      progress,
      labels,
      id,
      created,
      updated,
    ],
    traits: [['platform', 'platform_id']],
  },
  bindings: {
    path: '/v1/service_bindings',
    noun: 'service binding',
    list: 'binding list',
    columns: [
      name,
      ['service instance id', object => object.service_instance_id],
      ready,
      lastOp,
      labels,
      id,
      created,
      updated,
    ],
    traits: [['instance', 'service_instance_id']],
  },
  operations: {
    path: '/v1/operations',
    noun: 'operation',
    list: 'operation list',
    columns: [
      onlyId,
      type,
      ['state', object => object.state],
      ['resource', object => object.resource_type?.replace('/v1/', '')],
      ['resource id', object => object.resource_id],
      platformId,
      ['created', object => time(object.created_at)],
      updated,
      ['description', descriptionOf],
    ],
    traits: [],
  },
} as const satisfies Record<string, SmKind>;

/** The path of one resource. */
export const pathOf = (kind: SmKind, objectId: string): string => `${kind.path}/${encodeURIComponent(objectId)}`;
