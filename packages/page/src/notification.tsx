import { useEffect, useRef, useState } from 'preact/hooks';

/** Tells the person while another window is in front, if they allow it. Returns the button that asks for that. */
export function useNotification(waiting: number) {
  const before = useRef(waiting);
  const [permission, setPermission] = useState(() => ('Notification' in window ? Notification.permission : 'denied'));
  useEffect(() => {
    // A notification says only that something waits: it may be shown on a locked screen.
    if (waiting > before.current && document.hidden && permission === 'granted') {
      new Notification('A change waits for you', { body: `${waiting} waiting`, tag: 'mole' });
    }
    before.current = waiting;
  }, [waiting, permission]);
  if (permission !== 'default') return null;
  return (
    <button type="button" class="quiet" onClick={() => void Notification.requestPermission().then(setPermission)}>
      Notify me
    </button>
  );
}
