import { useRef } from 'react';
import { changeQuery } from '../routing/location.ts';
import { sessionStore, signOut } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { plainText } from '../ui/plain-text.ts';
import { useStore } from '../ui/store.ts';

/** People without an OpenID provider are service accounts: the last part of the user name is theirs. */
const shortName = (username: string): string => username.replace(/^system:serviceaccount:.*:/, '');

/** Who is signed in, and what they may do about that. Closes when the focus leaves it. */
export function UserMenu() {
  const username = useStore(sessionStore)?.username ?? '';
  const menu = useRef<HTMLDetailsElement>(null);
  const close = (): void => {
    if (menu.current !== null) menu.current.open = false;
  };
  return (
    <details
      ref={menu}
      className="user-menu"
      onBlur={({ currentTarget, relatedTarget }) => currentTarget.contains(relatedTarget) || close()}
      onKeyDown={({ key }) => key === 'Escape' && close()}
    >
      <summary>{plainText(shortName(username))}</summary>
      <div className="menu" tabIndex={-1}>
        <p className="menu-head">
          <span className="quiet">Signed in as</span> {plainText(username)}
        </p>
        <Button
          kind="quiet"
          onClick={() => {
            close();
            changeQuery({ ns: undefined });
          }}
        >
          Show all namespaces
        </Button>
        <Button kind="quiet" onClick={() => signOut()}>
          Sign out
        </Button>
      </div>
    </details>
  );
}
