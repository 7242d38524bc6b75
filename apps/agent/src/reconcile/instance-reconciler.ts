import { isError, type KubeObject } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import type { Logger } from '@chandlery/platform';
import type { WorkContext, WorkResult } from '@chandlery/runtime';
import type { ClusterView } from '../cluster/cluster-view.ts';
import { digestOf } from '../cluster/drift.ts';
import { deleteNamespace, ensureNamespace, readNamespace, remember, stateOf } from '../cluster/instance-namespace.ts';
import type { KindResolver } from '../cluster/kind-resolver.ts';
import type { ControlPlane } from '../control-plane/control-plane.ts';
import type { DesiredState } from '../control-plane/desired-state.ts';
import type { Reporter } from '../control-plane/reporter.ts';
import { decideInstance } from '../model/decide-instance.ts';
import {
  deletedStatus,
  errorCondition,
  type InstanceStatus,
  isComplete,
  type ReadyCondition,
  readyCondition,
} from '../model/instance-status.ts';
import { type InstanceSecrets, type ManagedInstance, readManagedInstance } from '../model/managed-instance.ts';
import { agentNames } from '../model/names.ts';
import { expectedObjects, hasSecretPlaceholders, objectsOf, type Program } from '../model/program.ts';
import { applyObjects, areInPlace } from './apply-objects.ts';
import { addressOf, endpointsOf, observeWorkloads, type RouterAddress, routesOf } from './observe-instance.ts';

export interface InstanceReconcilerDeps {
  readonly client: Client;
  readonly view: ClusterView;
  readonly resolveKind: KindResolver;
  readonly desired: Pick<DesiredState, 'get' | 'kind'>;
  readonly controlPlane: Pick<ControlPlane, 'readInstance'>;
  readonly reporter: Pick<Reporter, 'report' | 'forget'>;
  /** The program in force; undefined: none is known yet. */
  readonly program: () => Program | undefined;
  readonly router: () => RouterAddress;
  readonly product: string;
  readonly clusterId: string;
  readonly logger: Logger;
}

/** A moment later the watch shows what was done. */
const recheckMs = 1000;

/** Makes the cluster have of each instance what the control plane wants, and reports what it has. */
export class InstanceReconciler {
  readonly #deps: InstanceReconcilerDeps;
  /** Placements that were marked for removal: lists that still have them are late. */
  readonly #removed = new Set<string>();
  /** What was applied last, as the server had it then. */
  readonly #applied = new Map<string, readonly KubeObject[]>();

  constructor(deps: InstanceReconcilerDeps) {
    this.#deps = deps;
  }

  async reconcile(id: string, { signal }: WorkContext): Promise<WorkResult> {
    const desired = this.#deps.desired.get(id);
    const namespace = this.#deps.view.namespaceOf(id);
    const decision = decideInstance({
      desired,
      local: namespace && stateOf(namespace),
      isRemovedPlacement: desired !== undefined && this.#removed.has(placementKey(desired)),
    });
    if (desired === undefined) this.#deps.reporter.forget(id);
    switch (decision) {
      case 'keep':
        return 'done';
      case 'remove':
        return namespace === undefined ? 'done' : this.#remove(id, namespace);
      case 'report-deleted':
        return desired === undefined ? 'done' : this.#reportDeleted(desired);
      case 'apply':
        return desired === undefined ? 'done' : this.#apply(desired, signal);
    }
  }

  async #remove(id: string, namespace: KubeObject): Promise<WorkResult> {
    const { client, logger } = this.#deps;
    const { placementId, isMarkedDeleted } = stateOf(namespace);
    this.#removed.add(placementKey({ id, placementId }));
    this.#applied.delete(id);
    if (!isMarkedDeleted) logger.info('an instance is removed', { instance: id, placement: placementId });
    const marked = await remember(client, namespace, { isMarkedDeleted: true });
    await deleteNamespace(client, marked);
    return 'done';
  }

  /** The watch may be behind what this process has just created, so the server is asked. */
  async #reportDeleted({ id, namespace }: ManagedInstance): Promise<WorkResult> {
    const { client, reporter } = this.#deps;
    const present = await readNamespace(client, namespace);
    if (present !== undefined && isOf(present, id)) return this.#remove(id, present);
    reporter.report(id, deletedStatus);
    return 'done';
  }

  async #apply(instance: ManagedInstance, signal: AbortSignal): Promise<WorkResult> {
    const program = this.#deps.program();
    if (program === undefined) return { requeueAfterMs: recheckMs };
    try {
      const namespace = await this.#ensureNamespace(instance);
      if (namespace === undefined) return { requeueAfterMs: recheckMs };
      const applied = await this.#ensureObjects(program, instance, { namespace, signal });
      await this.#report(instance, namespace, applied);
    } catch (error) {
      if (!isError(error, 'TerminalError')) throw error;
      this.#reportCondition(instance, errorCondition(error.message));
      throw error;
    }
    return 'done';
  }

  /** Undefined: the namespace of another placement is still there. */
  async #ensureNamespace(instance: ManagedInstance): Promise<KubeObject | undefined> {
    const { client, view, product } = this.#deps;
    const namespace = view.namespaceOf(instance.id) ?? (await ensureNamespace(client, product, instance));
    const { placementId, isMarkedDeleted } = stateOf(namespace);
    return placementId === instance.placementId && !isMarkedDeleted ? namespace : undefined;
  }

  async #ensureObjects(
    program: Program,
    instance: ManagedInstance,
    { namespace, signal }: { readonly namespace: KubeObject; readonly signal: AbortSignal },
  ): Promise<readonly KubeObject[]> {
    const { client } = this.#deps;
    const { secrets: _, ...identity } = instance;
    const digest = digestOf([program.objects, identity]);
    const state = stateOf(namespace);
    const known = this.#applied.get(instance.id);
    await this.#deps.view.follow(state.kinds);
    const expected = expectedObjects(program, instance, this.#deps);
    if (state.applied === digest && areInPlace(this.#deps, expected))
      return known ?? expected.map(({ object }) => object);
    const secrets = hasSecretPlaceholders(program.objects)
      ? await this.#readSecrets(instance, signal)
      : instance.secrets;
    const objects = objectsOf(program, { ...instance, secrets }, this.#deps);
    const applied = await applyObjects(this.#deps, namespace, objects);
    this.#applied.set(instance.id, applied);
    await remember(client, namespace, { applied: digest, host: instance.host });
    return applied;
  }

  async #readSecrets(instance: ManagedInstance, signal: AbortSignal): Promise<InstanceSecrets> {
    if (instance.secrets.tls !== undefined || instance.secrets.serviceAccounts.length > 0) return instance.secrets;
    const item = await this.#deps.controlPlane.readInstance(instance.id, signal);
    return item === undefined ? instance.secrets : readManagedInstance(item).secrets;
  }

  async #report(instance: ManagedInstance, namespace: KubeObject, applied: readonly KubeObject[]): Promise<void> {
    const { client, view, desired } = this.#deps;
    const workloads = observeWorkloads(view, applied);
    const condition = readyCondition(instance, { workloads, versions: stateOf(namespace).versions }, desired.kind);
    const isDone = isComplete({ workloads }) && !instance.isSuspended;
    if (isDone) await remember(client, namespace, { versions: instance.versions });
    this.#reportCondition(instance, condition, isDone ? instance.versions : stateOf(namespace).versions);
  }

  #reportCondition(instance: ManagedInstance, condition: ReadyCondition, versions?: InstanceStatus['versions']): void {
    const { view, reporter } = this.#deps;
    const { id, namespace, host } = instance;
    const router = this.#deps.router();
    const services = view.objects('v1/Service', namespace);
    const routes = routesOf(services, router);
    const adminUrl = addressOf(services, { host, router });
    reporter.report(id, { condition, versions, routes, adminUrl, endpoints: endpointsOf(view, services) });
  }
}

const placementKey = ({ id, placementId }: { readonly id: string; readonly placementId: string }): string =>
  `${id}/${placementId}`;

const isOf = ({ metadata }: KubeObject, id: string): boolean => metadata.labels?.[agentNames.instanceLabel] === id;
