import type { KubeObject } from '@chandlery/api';
import { type Provider, providerNames } from '../kinds/index.ts';
import type { Admission } from './admit-tenant.ts';

const { confirmDeletionAnnotation } = providerNames;

/** A deletion of a CustomResourceDefinition that a provider has installed. */
export interface DefinitionDeletion {
  readonly definition: KubeObject;
  /** Whose it is; undefined when there is no such provider any more. */
  readonly provider: Pick<Provider, 'kind' | 'metadata'> | undefined;
  /** Whether the landscape itself deletes it, and not a person. */
  readonly isOperator: boolean;
}

/**
 * Decides about the deletion of a provider's definition, which deletes every object of the kind: the operator does it when
 * it removes the provider, anybody else only with an explicit word, and then the definition is made again.
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
