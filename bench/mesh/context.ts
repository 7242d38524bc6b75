import type { Layout, Sizes } from './options.ts';

/** The context of a section. */
export interface BenchContext {
  readonly sizes: Sizes;
  /** Prints progress, apart from results. */
  readonly say: (text: string) => void;
}

export const streamsOf = ({ connections, streamsPerConnection }: Layout): number => connections * streamsPerConnection;

/** A number for display. */
export const shown = (number: number): string => number.toLocaleString('en-US');

export const layoutText = (layout: Layout): string =>
  layout.streamsPerConnection === 1
    ? `${shown(streamsOf(layout))} streams, a connection each`
    : `${shown(streamsOf(layout))} streams on ${shown(layout.connections)} connections`;
