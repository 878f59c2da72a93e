import { Tooltip } from '@base-ui/react/tooltip';
import { clsx } from 'clsx';
import type { LucideIcon } from 'lucide-react';
import type { ComponentProps, ReactNode } from 'react';

type Look = 'plain' | 'primary' | 'quiet' | 'danger';

const LOOKS: Readonly<Record<Look, string>> = {
  primary: 'bg-accent text-on-accent border-transparent hover:brightness-110',
  plain: 'bg-card text-ink border-line hover:border-line-strong',
  quiet: 'border-transparent text-soft hover:bg-sunken hover:text-ink',
  danger: 'bg-card text-bad border-line hover:border-bad',
};

const SHAPE =
  'inline-flex items-center justify-center gap-1.5 rounded-lg border text-[0.93rem] leading-none transition-colors disabled:opacity-50 disabled:cursor-default select-none';

/** The style of a button, for links. */
export function buttonClass(look: Look = 'plain'): string {
  return clsx(SHAPE, LOOKS[look], 'min-h-9 px-3 py-2');
}

interface ButtonProps extends ComponentProps<'button'> {
  readonly look?: Look;
  readonly icon?: LucideIcon;
}

export function Button({ look = 'plain', icon: Icon, className, children, ...rest }: ButtonProps) {
  return (
    <button type="button" className={clsx(buttonClass(look), className)} {...rest}>
      {Icon && <Icon size={16} strokeWidth={1.75} aria-hidden />}
      {children}
    </button>
  );
}

interface IconButtonProps extends ComponentProps<'button'> {
  /** The tooltip and accessible name. */
  readonly label: string;
  readonly icon: LucideIcon;
  readonly isOn?: boolean;
}

export function IconButton({ label, icon: Icon, isOn, className, ...rest }: IconButtonProps) {
  return (
    <Hint text={label}>
      <button
        type="button"
        aria-label={label}
        {...(isOn !== undefined && { 'aria-pressed': isOn })}
        className={clsx(
          SHAPE,
          'size-8 border-transparent hover:bg-sunken',
          isOn ? 'text-accent' : 'text-faint hover:text-ink',
          className,
        )}
        {...rest}
      >
        <Icon size={16} strokeWidth={1.75} fill={isOn ? 'currentColor' : 'none'} aria-hidden />
      </button>
    </Hint>
  );
}

/** A tooltip on hover and focus. */
function Hint({ text, children }: { readonly text: string; readonly children: ReactNode }) {
  return (
    <Tooltip.Root>
      <Tooltip.Trigger render={children as React.ReactElement<Record<string, unknown>>} />
      <Tooltip.Portal>
        <Tooltip.Positioner sideOffset={6} className="z-50">
          <Tooltip.Popup className="max-w-72 rounded-md bg-ink px-2 py-1 text-xs text-paper shadow-float">
            {text}
          </Tooltip.Popup>
        </Tooltip.Positioner>
      </Tooltip.Portal>
    </Tooltip.Root>
  );
}
