! ForestGOMP's own calls for Fortran. Programs need none of them. Build this file with the program:
!   gfortran -fopenmp -c forestgomp.f90
! forestgomp.h and forestgomp/memory.h say what each call does. The names and values are the same.
module forestgomp
    use, intrinsic :: iso_c_binding
    implicit none
    private :: c_ptr, c_size_t, c_int, c_double, c_long_long, c_null_ptr

    integer(c_int), parameter :: fgomp_read = 1, fgomp_write = 2, fgomp_read_write = 3

    ! Placements
    integer(c_int), parameter :: fgomp_pages_first_touch = 0, fgomp_pages_node = 1, fgomp_pages_nearest = 2, &
        fgomp_pages_least_loaded = 3, fgomp_pages_interleaved = 4, fgomp_pages_weighted = 5, fgomp_pages_blocks = 6
    ! Flags of a wish
    integer(c_int), parameter :: fgomp_pages_strict = 1, fgomp_pages_of_team = 2
    ! When pages move
    integer(c_int), parameter :: fgomp_pages_now = 0, fgomp_pages_in_background = 1, &
        fgomp_pages_on_next_touch = 2, fgomp_pages_on_next_write = 3

    ! `nodes` and `weights` are c_loc of arrays of integer(c_int) that have the attribute target.
    type, bind(c) :: fgomp_pages_wish
        integer(c_int) :: n_nodes = 0
        type(c_ptr) :: nodes = c_null_ptr
        type(c_ptr) :: weights = c_null_ptr
        integer(c_int) :: flags = 0
    end type

    interface
        subroutine fgomp_set_next_team_load(load) bind(c)
            import :: c_double
            real(c_double), value :: load
        end subroutine
        subroutine fgomp_set_next_team_member_loads(n, loads) bind(c)
            import :: c_int, c_double
            integer(c_int), value :: n
            real(c_double), intent(in) :: loads(*)
        end subroutine
        subroutine fgomp_add_next_team_area(start, bytes, access) bind(c)
            import :: c_ptr, c_size_t, c_int
            type(c_ptr), value :: start
            integer(c_size_t), value :: bytes
            integer(c_int), value :: access
        end subroutine
        subroutine fgomp_add_next_team_member_area(number, start, bytes, access) bind(c)
            import :: c_ptr, c_size_t, c_int
            integer(c_int), value :: number
            type(c_ptr), value :: start
            integer(c_size_t), value :: bytes
            integer(c_int), value :: access
        end subroutine
        subroutine fgomp_attach_area(start, bytes, access) bind(c)
            import :: c_ptr, c_size_t, c_int
            type(c_ptr), value :: start
            integer(c_size_t), value :: bytes
            integer(c_int), value :: access
        end subroutine
        subroutine fgomp_detach_area(start, bytes) bind(c)
            import :: c_ptr, c_size_t
            type(c_ptr), value :: start
            integer(c_size_t), value :: bytes
        end subroutine
        subroutine fgomp_wait_begins() bind(c)
        end subroutine
        subroutine fgomp_wait_ends() bind(c)
        end subroutine

        ! Without a wish, all nodes with CPUs count.
        type(c_ptr) function fgomp_pages_alloc(bytes, how, wish) bind(c)
            import :: c_ptr, c_size_t, c_int, fgomp_pages_wish
            integer(c_size_t), value :: bytes
            integer(c_int), value :: how
            type(fgomp_pages_wish), intent(in), optional :: wish
        end function
        integer(c_int) function fgomp_pages_free(start) bind(c)
            import :: c_ptr, c_int
            type(c_ptr), value :: start
        end function
        integer(c_int) function fgomp_pages_register(start, bytes) bind(c)
            import :: c_ptr, c_size_t, c_int
            type(c_ptr), value :: start
            integer(c_size_t), value :: bytes
        end function
        integer(c_int) function fgomp_pages_unregister(start) bind(c)
            import :: c_ptr, c_int
            type(c_ptr), value :: start
        end function
        integer(c_int) function fgomp_pages_split(start, n, parts) bind(c)
            import :: c_ptr, c_int
            type(c_ptr), value :: start
            integer(c_int), value :: n
            type(c_ptr), intent(out) :: parts(*)
        end function
        integer(c_int) function fgomp_pages_locate(start, bytes, on_node, n) bind(c)
            import :: c_ptr, c_size_t, c_int
            type(c_ptr), value :: start
            integer(c_size_t), value :: bytes
            integer(c_size_t), intent(out) :: on_node(*)
            integer(c_int), value :: n
        end function
        integer(c_int) function fgomp_pages_move(start, bytes, how, wish, when) bind(c)
            import :: c_ptr, c_size_t, c_int, fgomp_pages_wish
            type(c_ptr), value :: start
            integer(c_size_t), value :: bytes
            integer(c_int), value :: how
            type(fgomp_pages_wish), intent(in), optional :: wish
            integer(c_int), value :: when
        end function
        integer(c_int) function fgomp_pages_wait() bind(c)
            import :: c_int
        end function
        integer(c_int) function fgomp_pages_nodes() bind(c)
            import :: c_int
        end function
        integer(c_size_t) function fgomp_pages_room(node) bind(c)
            import :: c_size_t, c_int
            integer(c_int), value :: node
        end function
        integer(c_int) function fgomp_pages_access_cost(from, to) bind(c)
            import :: c_int
            integer(c_int), value :: from, to
        end function
        integer(c_long_long) function fgomp_pages_move_cost(bytes, from, to) bind(c)
            import :: c_size_t, c_int, c_long_long
            integer(c_size_t), value :: bytes
            integer(c_int), value :: from, to
        end function
    end interface
end module
