import type { StepResult } from '@chandlery/runtime';
import { contextOf, ownerOf, type Pass } from '../pass.ts';

/** Sets carrying objects to work, or lets it go on. */
export function engageSyncer(pass: Pass): StepResult {
  pass.needs.syncer?.engage(ownerOf(pass), pass.connections, contextOf(pass));
  return 'continue';
}
