/** What can be done to a run, in the order of buttons. */
export const runActions = ['retry', 'resume', 'suspend', 'stop', 'terminate', 'resubmit'] as const;
export type RunAction = (typeof runActions)[number];

/** What decides which actions are possible. */
export interface RunState {
  readonly isEnded: boolean;
  readonly hasSucceeded: boolean;
  /** Whether something was handed to the engine. */
  readonly isStarted: boolean;
  /** Whether nothing new is started until it is resumed, or a node waits for that. */
  readonly isSuspended: boolean;
  /** Whether its end was asked for. */
  readonly shutdown: 'stop' | 'terminate' | undefined;
  /** Whether it executes one request after the other. */
  readonly isStanding: boolean;
}

export const actionWords: Readonly<Record<RunAction, string>> = {
  retry: 'Retry',
  resume: 'Resume',
  suspend: 'Suspend',
  stop: 'Stop…',
  terminate: 'Terminate…',
  resubmit: 'Resubmit',
};

/** What an action does, for its title and for who has to confirm it. */
export const actionEffects: Readonly<Record<RunAction, string>> = {
  retry: 'Starts it again from its failures; what has succeeded is kept',
  resume: 'Lets it continue',
  suspend: 'Starts nothing new until it is resumed',
  stop: 'Ends what runs, then executes exit handlers',
  terminate: 'Ends what runs at once, without exit handlers',
  resubmit: 'Starts the same once more, from the beginning',
};

/** Actions that end work have to be confirmed. */
export const isConfirmed = (action: RunAction): boolean => action === 'stop' || action === 'terminate';

/** Which of several actions are offered: those that can apply to a run in this state, or soon. */
export const isOffered = (action: RunAction, { isSuspended, isEnded }: RunState): boolean =>
  action === 'resume' ? isSuspended && !isEnded : action === 'suspend' ? !isSuspended && !isEnded : true;

/** Why an action is not possible now; undefined when it is. */
export function reasonAgainst(action: RunAction, state: RunState): string | undefined {
  const { isEnded, hasSucceeded, isStarted, shutdown, isStanding } = state;
  switch (action) {
    case 'retry':
      if (!isEnded) return 'It has not ended yet';
      if (hasSucceeded) return 'It has succeeded';
      return isStanding ? 'It is a standing order: resubmit it' : undefined;
    case 'resubmit':
      return undefined;
    case 'suspend':
    case 'resume':
      return isEnded ? 'It has ended' : isStarted ? undefined : 'It has not been started yet';
    case 'stop':
    case 'terminate':
      if (isEnded) return 'It has ended';
      return shutdown === 'terminate' || shutdown === action ? 'It is being ended' : undefined;
  }
}
