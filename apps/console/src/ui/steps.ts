/** How far a step is. */
export type StepState = 'done' | 'now' | 'failed' | 'later';

/** A step of something that has several, in their order. */
export interface Step {
  readonly name: string;
  readonly state: StepState;
}

/** Steps of which one is in progress, or has failed; the last one has no work and is done when it is reached. */
export function stepsUntil(names: readonly string[], current: string, hasFailed = false): readonly Step[] {
  const at = names.indexOf(current);
  const here = hasFailed ? 'failed' : at === names.length - 1 ? 'done' : 'now';
  return names.map((name, index) => ({ name, state: index < at ? 'done' : index > at ? 'later' : here }));
}
