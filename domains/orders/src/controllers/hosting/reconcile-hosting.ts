import { isError, type KubeObject } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import type { ControllerMetrics, Informer } from '@chandlery/runtime';
import { hostedServices } from '../../actions/hosting/verify-hosting.ts';
import type { OrderDeps } from '../../actions/orders/order-deps.ts';
import { OrdersError } from '../../errors.ts';
import { digestAnnotation, hostedDeployment, hostedLabel } from '../../model/hosting/hosted-deployment.ts';
import { controllerOf } from '../../model/services/convert-workflow.ts';
import type { ServiceProxyProvisioner } from '../../order-ports.ts';
import type { ServiceRow } from '../../registry/orders-registry.ts';

export const deploymentsRef = { group: 'apps', version: 'v1', plural: 'deployments' } as const;

/** What keeping processes works with. */
export interface HostingDeps extends Pick<OrderDeps, 'registry' | 'models' | 'settings' | 'clock' | 'logger'> {
  /** Of the cluster on which the processes run. Not disposed of. */
  readonly platform: Client;
  readonly dataProxy: ServiceProxyProvisioner;
  /** Default: nothing is measured and traced. */
  readonly controllerMetrics?: ControllerMetrics | undefined;
  /** Makes a namespace of the cluster, unless it is there. */
  readonly ensureNamespace: (name: string) => Promise<void>;
}

export interface HostingReconcileDeps extends HostingDeps {
  /** Deployments of services, with an index `service` over the UUIDs of these. */
  readonly informer: Pick<Informer, 'byIndex'>;
}

/** Makes the Deployment of a service as the service says; a service without a process has none. */
export async function reconcileHosting(deps: HostingReconcileDeps, id: string): Promise<void> {
  const desired = desiredDeployment(deps, deps.registry.services.get(id));
  for (const found of deps.informer.byIndex('service', id))
    if (!isSameObject(found, desired)) await removeDeployment(deps, found);
  if (desired !== undefined) await writeDeployment(deps, desired);
}

function desiredDeployment(deps: HostingReconcileDeps, row: ServiceRow | undefined): KubeObject | undefined {
  if (row === undefined || row.isDeleting) return undefined;
  const controller = controllerOf(row.spec);
  const hosting = deps.models.hostingOf(controller);
  if (hosting === undefined || controller === undefined || !isWithinLimit(deps, row)) return undefined;
  try {
    deps.models.verifyController(controller);
    const { id, tenant } = row;
    return hostedDeployment({
      id,
      tenant,
      process: hosting.read(controller),
      binding: deps.dataProxy.bindService(row),
    });
  } catch (error) {
    if (!(error instanceof OrdersError)) throw error;
    deps.logger.warn('a service cannot be executed', { service: row.id, error: error.message });
    return undefined;
  }
}

const isWithinLimit = (deps: HostingReconcileDeps, { id, tenant }: ServiceRow): boolean =>
  hostedServices(deps, tenant)
    .slice(0, deps.settings.processes)
    .some(row => row.id === id);

const isSameObject = ({ metadata }: KubeObject, desired: KubeObject | undefined): boolean =>
  metadata.name === desired?.metadata.name && metadata.namespace === desired?.metadata.namespace;

async function removeDeployment({ platform }: HostingReconcileDeps, { metadata }: KubeObject): Promise<void> {
  const { namespace = '', name = '' } = metadata;
  if (metadata.deletionTimestamp !== undefined) return;
  try {
    await platform.delete({ ...deploymentsRef, namespace, name }, { propagationPolicy: 'Background' });
  } catch (error) {
    if (!isError(error, 'NotFound')) throw error;
  }
}

async function writeDeployment(deps: HostingReconcileDeps, desired: KubeObject): Promise<void> {
  const { platform, informer, ensureNamespace } = deps;
  const { namespace = '', name = '' } = desired.metadata;
  const id = desired.metadata.labels?.[hostedLabel] ?? '';
  const known = informer.byIndex('service', id).find(found => isSameObject(found, desired));
  if (known !== undefined && digestOf(known) === digestOf(desired)) return;
  await ensureNamespace(namespace);
  try {
    await platform.create({ ...deploymentsRef, namespace }, desired);
  } catch (error) {
    if (!isError(error, 'AlreadyExists')) throw error;
    const found = await platform.get({ ...deploymentsRef, namespace, name });
    if (digestOf(found) === digestOf(desired)) return;
    const { resourceVersion } = found.metadata;
    const metadata = { ...desired.metadata, ...(resourceVersion && { resourceVersion }) };
    await platform.update({ ...deploymentsRef, namespace, name }, { ...desired, metadata });
  }
}

const digestOf = ({ metadata }: KubeObject): string | undefined => metadata.annotations?.[digestAnnotation];
