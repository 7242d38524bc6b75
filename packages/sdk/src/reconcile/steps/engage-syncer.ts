import type { StepResult } from '@chandlery/runtime';
import { allowsOf, contextOf, ownerOf, type Pass } from '../pass.ts';

/** Sets carrying objects to work, or lets it go on. */
export function engageSyncer(pass: Pass): StepResult {
  const allows = allowsOf(pass);
  if (allows.has('Create') && allows.has('Update'))
    pass.needs.syncer?.engage(ownerOf(pass), pass.connections, contextOf(pass));
  return 'continue';
}
