import { type ButtonHTMLAttributes, useId, useLayoutEffect, useRef, useState } from 'react';

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** Default: plain. */
  readonly kind?: 'plain' | 'primary' | 'danger' | 'quiet';
  /**
   * Why it cannot be used now. The button stays focusable; the reason is shown while it has the focus or the pointer, and
   * when it is pressed. Default: it can be used.
   */
  readonly disabledReason?: string | undefined;
}

export function Button({ kind = 'plain', disabledReason, onClick, className = '', ...rest }: ButtonProps) {
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();
  const [isShown, setShown] = useState(false);
  const isDisabled = disabledReason !== undefined;
  const described = [rest['aria-describedby'], isDisabled ? id : undefined].filter(Boolean).join(' ');
  return (
    <>
      <button
        ref={button}
        type="button"
        className={`button button-${kind} ${className}`}
        {...rest}
        {...(described !== '' && { 'aria-describedby': described })}
        {...(isDisabled
          ? {
              'aria-disabled': true,
              title: undefined,
              onClick: event => {
                event.preventDefault();
                setShown(true);
              },
            }
          : { onClick })}
        onFocus={() => setShown(true)}
        onBlur={() => setShown(false)}
        onPointerEnter={() => setShown(true)}
        onPointerLeave={({ currentTarget }) => setShown(currentTarget.matches(':focus-visible'))}
        onKeyDown={({ key }) => key === 'Escape' && setShown(false)}
      />
      {isDisabled && <Reason id={id} of={button} text={disabledReason} isShown={isShown} />}
    </>
  );
}

interface ReasonProps {
  readonly id: string;
  readonly of: React.RefObject<HTMLButtonElement | null>;
  readonly text: string;
  readonly isShown: boolean;
}

const gapPx = 6;
const edgePx = 8;

/** The reason beside its button, above all else: the frames of tables and panels would cut it off. */
function Reason({ id, of, text, isShown }: ReasonProps) {
  const note = useRef<HTMLSpanElement>(null);
  const [place, setPlace] = useState({ left: 0, top: 0 });
  useLayoutEffect(() => {
    if (!isShown) return;
    const show = (): void => {
      const [button, own] = [of.current, note.current].map(element => element?.getBoundingClientRect());
      if (button === undefined || own === undefined) return;
      const left = Math.max(edgePx, Math.min(button.left, innerWidth - own.width - edgePx));
      const below = button.bottom + gapPx;
      const hasRoom = below + own.height <= innerHeight - edgePx;
      setPlace({ left, top: hasRoom ? below : button.top - gapPx - own.height });
    };
    show();
    // What appears above the button moves it.
    const observer = new ResizeObserver(show);
    observer.observe(document.body);
    const options = { capture: true, passive: true } as const;
    addEventListener('scroll', show, options);
    return () => {
      observer.disconnect();
      removeEventListener('scroll', show, options);
    };
  }, [of, text, isShown]);
  return (
    <span ref={note} id={id} className="reason" role="tooltip" hidden={!isShown} style={place}>
      {text}
    </span>
  );
}
