import { rbacGroup } from '../access/index.ts';
import { logicalClusterResource } from '../clusters/logical-cluster-kind.ts';
import { crdResource } from '../registry/kind-registry.ts';
import type { Behaviour, Behaviours } from './behaviour.ts';
import { crdBehaviour } from './custom-resource-definition.ts';
import { logicalClusterBehaviour } from './logical-cluster.ts';
import { namespaceBehaviour } from './namespace.ts';
import { bindingBehaviour, roleBehaviour } from './rbac.ts';
import { configMapBehaviour, secretBehaviour } from './secret-and-config-map.ts';
import { workloadBehaviours } from './workloads/index.ts';

/** What the built-in kinds do beyond their declarations. */
export const builtInBehaviours: Behaviours = new Map<string, Behaviour>([
  ['/namespaces', namespaceBehaviour],
  ['/secrets', secretBehaviour],
  ['/configmaps', configMapBehaviour],
  [crdResource, crdBehaviour],
  [logicalClusterResource, logicalClusterBehaviour],
  [`${rbacGroup}/roles`, roleBehaviour],
  [`${rbacGroup}/clusterroles`, roleBehaviour],
  [`${rbacGroup}/rolebindings`, bindingBehaviour],
  [`${rbacGroup}/clusterrolebindings`, bindingBehaviour],
  ...workloadBehaviours,
]);
