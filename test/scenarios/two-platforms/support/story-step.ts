import type { StoryWorld } from './story-world.ts';

/** A part of the story. Both halves end well even if the service manager goes away for a while in their midst. */
export interface StoryStep {
  readonly name: string;
  /** What people and platforms do. */
  act(world: StoryWorld): Promise<void>;
  /** What is to be true then, sooner or later. May be called again. */
  check(world: StoryWorld): Promise<void>;
}

/** Generous, for a busy machine and a server that restarts. */
export const patience = { timeoutMs: 30_000, pauseMs: 20 } as const;
