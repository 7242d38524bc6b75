import type { KubeObject } from '@chandlery/api';
import { type Provider, providerNames } from '../kinds/index.ts';
import type { Admission } from './admit-tenant.ts';

const { confirmDeletionAnnotation } = providerNames;

/** A deletion of a CustomResourceDefinition that a provider has installed. */
export interface DefinitionDeletion {
  readonly definition: KubeObject;
  /** The owner of the definition; undefined when the provider does not exist any more. */
  readonly provider: Pick<Provider, 'kind' | 'metadata'> | undefined;
  /** Whether the landscape itself deletes it. */
  readonly isOperator: boolean;
}

/**
 * Admits the deletion of a provider's definition, which deletes every object of the kind. The operator deletes it with
 * the provider; any other client needs an explicit confirmation, and the definition is then created again.
 */
export function admitDefinitionDeletion({
  definition,
  provider,
  isOperator,
}: DefinitionDeletion): Admission<KubeObject> {
  const { name = '', annotations = {}, deletionTimestamp } = definition.metadata;
  const allowed = { type: 'allow', object: definition } as const;
  if (provider === undefined || deletionTimestamp !== undefined) return allowed;
  if (isOperator && provider.metadata.deletionTimestamp !== undefined) return allowed;
  if (annotations[confirmDeletionAnnotation] === name) return allowed;
  const owner = `${provider.kind} "${provider.metadata.name}"`;
  const message = `it belongs to ${owner}, and every object of the kind would be deleted with it. To remove the service, delete ${owner}. To delete all of these objects and have the definition made again, first annotate it with ${confirmDeletionAnnotation}=${name}`;
  return { type: 'deny', message };
}
