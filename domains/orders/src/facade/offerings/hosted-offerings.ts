import { badRequest, type JsonObject } from '@chandlery/api';
import type { InternalObject, InternalProgress, InternalService, ListeningEndpoint } from '@chandlery/brokers/kinds';
import { commitAnew } from '@chandlery/registry';
import type { OrderDeps } from '../../actions/orders/order-deps.ts';
import { siteHostOf } from '../../kinds/index.ts';
import {
  type HostedPlace,
  type HostedRecord,
  hostedCredentials,
  hostedObjectOf,
  hostedServicesOf,
  placeOfProcess,
  progressOfHosted,
} from '../../model/offerings/hosted-offering.ts';
import { catalogTenantOf } from '../../model/offerings/order-offering.ts';
import { controllerOf } from '../../model/services/convert-workflow.ts';
import type { HostedProcesses } from '../../order-ports.ts';
import { removeRow, type ServiceRow } from '../../registry/orders-registry.ts';

/** How hosted services are reached. */
export interface HostedOfferingsDeps extends Pick<OrderDeps, 'registry' | 'models'> {
  readonly processes: HostedProcesses;
  /** Whether a host name is that of a site that is served. */
  readonly isSiteServed: (host: string) => boolean;
  /** Where the landscape serves sites. Undefined: at no single address. */
  readonly siteEndpoint: () => ListeningEndpoint | undefined;
}

/** The services that run all the time, as instances that are made by creating them. */
export interface HostedOfferings {
  /** By the tenant of orders. `taken`: names of other offerings. */
  catalog(tenant: string, taken: ReadonlySet<string>): readonly InternalService[];
  /** Undefined: there is no such service, or it does not run all the time. */
  find(id: string): HostedInstance | undefined;
  /** Notifies of all, and from then on of changes. Returns how to stop it. */
  listen(changed: (id: string) => void): () => void;
}

/** A hosted service as an instance. */
export interface HostedInstance {
  readonly object: InternalObject;
  readonly progress: InternalProgress;
  /** Throws `BadRequest` with how to change it. */
  update(parameters: JsonObject): void;
  remove(): Promise<void>;
  /** Its connection details, or `in progress` while it takes no connections. */
  credentials(): JsonObject | 'in progress';
}

/** Presents the hosted services of all tenants. Nothing is kept besides the services. */
export function createHostedOfferings(deps: HostedOfferingsDeps): HostedOfferings {
  const { registry, processes } = deps;
  return {
    catalog: (tenant, taken) => {
      const records = [...registry.services.by('tenant', tenant)].flatMap(row => recordOf(deps, row) ?? []);
      return hostedServicesOf(catalogTenantOf(tenant), { types: new Set(records.map(({ type }) => type)), taken });
    },
    find: id => {
      const row = registry.services.get(id);
      const record = row && recordOf(deps, row);
      return record && instanceOf(deps, record);
    },
    listen: changed => {
      const notify = (row: ServiceRow): void => {
        if (recordOf(deps, row) !== undefined) changed(row.id);
      };
      const stops = [
        registry.services.listen(({ row, previous }) => [row, ...(previous ? [previous] : [])].forEach(notify)),
        processes.listen(changed),
      ];
      for (const row of registry.services.all()) notify(row);
      return () => {
        for (const stop of stops) stop();
      };
    },
  };
}

function recordOf({ models }: Pick<HostedOfferingsDeps, 'models'>, row: ServiceRow): HostedRecord | undefined {
  const type = siteHostOf(row.spec) === undefined ? models.hostingOf(controllerOf(row.spec))?.takes : 'site';
  return type && { ...row, type };
}

function instanceOf(deps: HostedOfferingsDeps, record: HostedRecord): HostedInstance {
  const host = siteHostOf(record.spec) ?? '';
  const place = record.type === 'site' ? placeOfSite(deps, host) : placeOfProcess(deps.processes.stateOf(record.id));
  return {
    object: hostedObjectOf(record, place),
    progress: progressOfHosted(place),
    update: parameters => {
      const [first] = Object.keys(parameters);
      if (first !== undefined)
        throw badRequest(`the parameter "${first}" cannot be set: change the service itself, with \`service apply\``);
    },
    remove: () => removeService(deps, record.id),
    credentials: () =>
      place.problem === undefined ? hostedCredentials(record, { endpoint: place.endpoint, host }) : 'in progress',
  };
}

const placeOfSite = ({ isSiteServed, siteEndpoint }: HostedOfferingsDeps, host: string): HostedPlace =>
  isSiteServed(host) ? { endpoint: siteEndpoint() } : { problem: `the host name ${host} may not be served for it` };

async function removeService({ registry }: Pick<HostedOfferingsDeps, 'registry'>, id: string): Promise<void> {
  await commitAnew(registry, () => {
    const row = registry.services.get(id);
    return row === undefined ? [] : [removeRow('services', row)];
  });
}
