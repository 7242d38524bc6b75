import { ownPlatformId } from '../../kinds/index.ts';
import type { OperationRow } from '../rows.ts';

/** Resources whose operations the engine carries out, by the path that operations name them with. */
export const enginePaths = {
  instances: '/v1/service_instances',
  bindings: '/v1/service_bindings',
  platforms: '/v1/platforms',
} as const;

/** Labels of operations that were requested by an object of the Kubernetes API, which stays whatever the result. */
export const kubernetesOrigin = { origin: ['kubernetes'] };

/** Whether an object of the Kubernetes API requested the operation. */
export const isFromKubernetes = ({ spec }: OperationRow): boolean =>
  spec.labels?.['origin']?.includes('kubernetes') === true;

/** Whether it is still to be decided how the operation ends. */
export const isOpen = ({ status }: Pick<OperationRow, 'status'>): boolean =>
  status.state === 'pending' || status.state === 'in progress';

/** Whether a broker is being asked again and again to delete what the operation may have left. */
export const isUnderMitigation = ({ status }: Pick<OperationRow, 'status'>): boolean =>
  status.deletionScheduledAt !== undefined;

/** Whether nothing more will happen. */
export const isEnded = (operation: OperationRow): boolean => !isOpen(operation) && !isUnderMitigation(operation);

/** Whether the operation is part of a tree. */
export const isInCascade = ({ spec }: OperationRow): boolean => spec.cascadeRootId !== undefined;

/** Whether the engine has to do something about the operation, now or later. */
export function isEngineWork(operation: OperationRow): boolean {
  const { resourceType, platformId } = operation.spec;
  if (isEnded(operation) || operation.spec.isOfUnknown === true) return false;
  if (isInCascade(operation)) return Object.values<string>(enginePaths).includes(resourceType);
  if (platformId !== ownPlatformId) return false;
  return resourceType === enginePaths.instances || resourceType === enginePaths.bindings;
}

/** Whether the operation is stored inside the row that it created and has no object of its own. */
export const isEmbedded = ({ uid }: Pick<OperationRow, 'uid'>): boolean => uid === '';
