import type { ReactNode } from 'react';
import { Breakable } from '../ui/breakable.tsx';

/** A name and its value, in a list of facts. */
export const Fact = ({ name, children }: { readonly name: string; readonly children: ReactNode }) => (
  <div className="fact">
    <dt>
      <Breakable text={name} />
    </dt>
    <dd>{children}</dd>
  </div>
);
