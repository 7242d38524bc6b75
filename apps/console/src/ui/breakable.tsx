import { Fragment } from 'react';

/** Where a path or a name in camel case may be broken: after separators, and before the capital of a word. */
const joints = /(?<=[._/:\]-])(?=[^._/:\]\s-])|(?<=[a-z0-9])(?=[A-Z])/;

/** A long name, which is broken between its parts and not within them. */
export const Breakable = ({ text }: { readonly text: string }) =>
  text.split(joints).map((part, at) => (
    // The parts of a text have no identity but their place.
    <Fragment key={`${at}${part}`}>
      {at > 0 && <wbr />}
      {part}
    </Fragment>
  ));
