import type { DeletionPolicy } from '../definition/service-kind.ts';
import type { Pass } from './pass.ts';

/** What happens to the service when its object goes. */
export const policyOf = ({ object }: Pass): DeletionPolicy => object.spec.deletionPolicy ?? 'Delete';
