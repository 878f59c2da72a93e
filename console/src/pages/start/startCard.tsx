import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { Card } from '../../ui/page.tsx';

interface StartCardProps {
  readonly icon: LucideIcon;
  readonly title: string;
  readonly about: string;
  readonly children: ReactNode;
}

export function StartCard({ icon: Icon, title, about, children }: StartCardProps) {
  return (
    <Card className="flex flex-col gap-3 p-5">
      <h2 className="flex items-center gap-2 font-semibold">
        <Icon size={17} strokeWidth={1.75} className="text-accent" aria-hidden />
        {title}
      </h2>
      <p className="text-[0.93rem] text-soft">{about}</p>
      <div className="mt-auto flex flex-col gap-2">{children}</div>
    </Card>
  );
}
