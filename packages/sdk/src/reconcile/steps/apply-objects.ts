import type { StepResult } from '@chandlery/runtime';
import { desiredOf } from '../../model/wishes.ts';
import { allowsOf, contextOf, ownerOf, type Pass, statusOf } from '../pass.ts';
import { recordObjects } from '../record-changes.ts';

/** Makes the objects on the clusters be as they should. */
export async function applyObjects(pass: Pass): Promise<StepResult> {
  const { needs, object, step, connections } = pass;
  const desired = desiredOf(needs.definition, object, contextOf(pass));
  const report = await needs.managed.apply(
    { ...ownerOf(pass), allows: allowsOf(pass) },
    connections,
    desired,
    step.signal,
  );
  pass.report = report;
  statusOf(pass).resources = report.resources.map(entry => ({ ...entry }));
  recordObjects(pass, report.changes);
  return 'continue';
}
